// SPDX-License-Identifier: Apache-2.0
// Any bytes as the memory of an app's ring, changed between the service's looks.
#include <algorithm>
#include <cstring>

#include "probes/sources/app_ring_reader.h"
#include "tests/fuzz/invariants.h"
#include "tests/support/app_ring_memory.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

constexpr std::int32_t kPid = 100;
constexpr Instant kNow = instant_from_ns(1'000'000'000'000);

void need_true(const FrameEvent& event) {
  if (event.kind == FrameEvent::Kind::kStart) {
    need(event.start.pid == kPid, "a start of another process");
    need(event.start.at <= kNow, "a start in the future");
    return;
  }
  need(event.frame.pid == kPid, "a frame of another process");
  need(event.frame.ui_done <= kNow && event.frame.ready <= kNow, "a frame in the future");
}

}  // namespace

/// Pieces of the ring's memory, each: where (2 bytes), how long (1), the bytes; a look behind each.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::AppRingMemory memory;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(&memory.ring());
  auto reader = AppRingReader::open(memory.for_the_service(), kPid);
  need(reader && reader->resume(), "a ring of the right size is taken");
  FrameAssembler assembler(CpuTopology{}, AssemblySettings{});
  RecordDecoder decoder(assembler);
  while (size >= 3) {
    const std::size_t at = (data[0] + 256U * data[1]) % kAppRingBytes;
    const std::size_t length =
        std::min({size - 3, std::size_t{data[2]}, std::size_t{kAppRingBytes} - at});
    std::memcpy(bytes + at, data + 3, length);
    data += 3 + length;
    size -= 3 + length;
    const std::uint64_t before = reader->taken();
    FrameBatch batch;
    need(reader->read(decoder, batch, [] { return kNow; }).has_value(),
         "what an app writes ends no ring");
    need(reader->taken() - before <= kAppRingSlots, "a look is bounded");
    need(decoder.records() <= reader->taken(), "a record that was not taken out");
    std::for_each(batch.begin(), batch.end(), need_true);
  }
  return 0;
}

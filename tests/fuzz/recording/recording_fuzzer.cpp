// SPDX-License-Identifier: Apache-2.0
// Frames, plans and touches out of any bytes, written as a recording and read back.
#include <cstring>

#include "tests/fuzz/invariants.h"
#include "tests/support/phone_topology.h"
#include "tests/support/trace_bytes.h"
#include "trace/byte_source.h"
#include "trace/perfetto_reader.h"
#include "trace/recording.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

constexpr Instant kBegin = instant_from_ns(1'000'000'000);

/// Values off the front of the input; zero when it is used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t count = std::min(size_, sizeof value);
    std::memcpy(&value, data_, count);
    data_ += count;
    size_ -= count;
    return value;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

Frame frame_from(Bytes& bytes, Instant at) {
  Frame frame;
  frame.pid = bytes.take<std::int32_t>();
  frame.surface = bytes.take<std::uint64_t>();
  frame.vsync = frame.start = at;
  frame.ready = at + Duration{bytes.take<std::uint32_t>()};
  frame.deadline = at + Duration{bytes.take<std::uint32_t>()};
  frame.blocked = Duration{bytes.take<std::uint16_t>()};
  frame.frequency = khz(bytes.take<std::uint16_t>());
  frame.cluster = static_cast<std::int8_t>(bytes.take<std::uint8_t>() % 3);
  frame.parts = static_cast<std::uint8_t>(bytes.take<std::uint8_t>() & 31U);
  return frame;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  std::string trace;
  TraceWriter writer(test::append_to(trace));
  writer.clock_snapshot({.monotonic = kBegin, .boottime_ns = 0, .realtime_ns = 0});
  RecordingWriter recorder(writer);
  const CpuTopology topology = test::phone_topology();
  recorder.begin(kBegin, "phone", topology);
  std::vector<Frame> frames;
  std::size_t touches = 0;
  Instant at = kBegin;
  while (!bytes.empty() && frames.size() + touches < 200) {
    at += Duration{bytes.take<std::uint32_t>()};
    const auto kind = bytes.take<std::uint8_t>();
    if (kind % 4 == 0) {
      recorder.touch(at);
      ++touches;
    } else if (kind % 4 == 1) {
      recorder.frequency(at, kind % 3U, khz(bytes.take<std::uint32_t>()));
    } else {
      frames.push_back(frame_from(bytes, at));
      recorder.frame(frames.back(), std::string(bytes.take<std::uint8_t>() % 200U,
                                                static_cast<char>('a' + kind % 26)));
    }
  }
  RecordingReader reader;
  auto source = bytes_in_memory(trace);
  need(source.has_value() && read_perfetto(**source, reader).has_value(),
       "what is written is a trace");
  const auto back = reader.take();
  need(back.has_value() && back->device == "phone", "a recording is found in it");
  need(back->frames.size() == frames.size() && back->touches.size() == touches,
       "every frame and touch comes back");
  need(back->topology.clusters.size() == topology.clusters.size(), "so do the CPUs");
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = back->frames[i].frame;
    need(back->frames[i].app < back->apps.size(), "a frame is of an app");
    need(frame.vsync == frames[i].vsync && frame.ready == frames[i].ready &&
             frame.deadline == frames[i].deadline && frame.surface == frames[i].surface &&
             frame.parts == frames[i].parts,
         "a frame is as it was");
  }
  return 0;
}

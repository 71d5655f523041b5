// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/wire/wire_script.h"

#include <algorithm>
#include <limits>

namespace framegov::fuzz {

namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kRefresh = 16'666'667;
/// Between records: hits of one clock tick, hits that another CPU's buffer brings late, pauses.
constexpr std::array<std::int64_t, 16> kSteps = {
    0,       0,         1,        2 * kUs,  100 * kUs, kMs,      2 * kMs, 3 * kMs,
    5 * kMs, 8'333'333, kRefresh, 40 * kMs, 300 * kMs, -2 * kUs, -kMs,    2'000 * kMs};
constexpr std::array<std::int64_t, 8> kAges = {0,        kUs,      kMs,       4 * kMs,
                                               10 * kMs, 30 * kMs, 900 * kMs, 9'900 * kMs};
constexpr std::array<std::int64_t, 8> kIntervals = {kRefresh, 8'333'333, 6'060'606,   100 * kUs,
                                                    -1,       0,         1'000 * kMs, 33'333'333};
constexpr std::array<std::uint32_t, 2> kProcesses = {70, 200};

}  // namespace

std::int64_t WireScript::odd_time(unsigned choice) const {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::array<std::int64_t, 16> times = {0,
                                              1,
                                              -1,
                                              kLeast,
                                              kMost,
                                              kLeast + 1,
                                              kMost - 1,
                                              kMost / 2,
                                              kLeast / 2,
                                              clock_ + 1,
                                              clock_ - 1,
                                              clock_ + 10'000 * kMs,
                                              clock_ - 10'000 * kMs,
                                              clock_ + kMs,
                                              kMost - clock_,
                                              1LL << 53};
  return times[choice % times.size()];
}

Ask WireScript::next(WireRecord& record) {
  const unsigned what = bytes_.take();
  const unsigned kind = what & 7U;
  const unsigned variant = what >> 6U;
  if (kind == 6) {
    return static_cast<Ask>(1 + variant);
  }
  const unsigned when = bytes_.take();
  clock_ = std::max<std::int64_t>(1, clock_ + kSteps[when & 15U]);
  const unsigned thread = (what >> 3U) & 3U;
  header_ = {};
  header_.version = WIRE_VERSION;
  header_.cpu = when >> 5U;
  header_.tgid = kProcesses[(what >> 5U) & 1U];
  header_.tid = header_.tgid + 1 + thread;
  header_.time_ns = static_cast<__u64>(clock_);
  render_thread_ = thread < 3;
  if (((when >> 4U) & 1U) != 0 && variant == 3) {
    header_.time_ns = static_cast<__u64>(odd_time(bytes_.take()));
  }
  record.time_ns = static_cast<std::int64_t>(header_.time_ns);
  switch (kind) {
    case 0:
    case 7:
      frame_info(record, variant);
      break;
    case 1:
      queue_buffer(record, variant);
      break;
    case 2:
      dequeue_buffer(record, variant);
      break;
    case 3: {
      wire_frame_start start{};
      start.header = header_;
      start.header.kind = WIRE_FRAME_START;
      record.hold(start);
      break;
    }
    case 4:
      frame_finished(record, variant);
      break;
    default:
      variant == 2 ? hint_target(record) : any_bytes(record);
      break;
  }
  return Ask::kRecord;
}

/// libhwui's layouts: 9 fields without a deadline, 12 to 14 with one.
void WireScript::frame_info(WireRecord& record, unsigned variant) {
  wire_frame_info info{};
  info.header = header_;
  info.header.kind = WIRE_FRAME_INFO;
  const unsigned fields = variant == 0 ? 0U : bytes_.take();
  const std::int64_t vsync = clock_ - kAges[variant == 0 ? 3 : fields & 7U];
  info.count = variant == 1 ? 9 : 12;
  info.fields[variant == 1 ? 2 : 3] = vsync;
  info.fields[5] = vsync + kMs;
  if (variant != 1) {
    const std::int64_t interval = kIntervals[(fields >> 3U) & 7U];
    info.fields[9] = interval > 0 ? vsync + interval : interval;
    info.fields[11] = interval;
  }
  if (variant == 3) {
    const unsigned odd = bytes_.take();
    info.fields[odd % WIRE_FRAME_INFO_FIELDS] = odd_time(odd >> 4U);
    info.count = (fields & 0x40U) != 0 ? odd % 20 : 14;
  }
  record.hold(info);
}

void WireScript::queue_buffer(WireRecord& record, unsigned variant) {
  wire_queue_buffer queue{};
  queue.header = header_;
  queue.header.kind = WIRE_QUEUE_BUFFER;
  queue.surface = variant == 3 ? bytes_.take() : variant;
  queue.render_thread = render_thread_ ? 1 : 0;
  record.hold(queue);
}

void WireScript::dequeue_buffer(WireRecord& record, unsigned variant) {
  wire_dequeue_buffer dequeue{};
  dequeue.header = header_;
  dequeue.header.kind = WIRE_DEQUEUE_BUFFER;
  const unsigned more = variant == 0 ? 0U : bytes_.take();
  dequeue.surface = more & 3U;
  const std::int64_t entered =
      variant == 3 ? odd_time(more >> 4U) : clock_ - kAges[(more >> 2U) & 7U];
  dequeue.entered_ns = static_cast<__u64>(entered);
  dequeue.render_thread = render_thread_ ? 1 : 0;
  record.hold(dequeue);
}

/// The native fields begin at the process's own count of Java's.
void WireScript::frame_finished(WireRecord& record, unsigned variant) {
  wire_frame_finished finished{};
  finished.header = header_;
  finished.header.kind = WIRE_FRAME_FINISHED;
  const unsigned more = bytes_.take();
  const std::int64_t vsync = clock_ - kAges[more & 7U];
  finished.fields[2] = finished.fields[3] = vsync;
  for (std::size_t i = 13; i < WIRE_FINISHED_FIELDS; ++i) {
    finished.fields[i] = std::max(vsync + 1, clock_ - kAges[(more >> 3U) & 7U]);
  }
  if (variant == 3) {
    finished.fields[(more >> 3U) % WIRE_FINISHED_FIELDS] = odd_time(bytes_.take());
  }
  record.hold(finished);
}

void WireScript::hint_target(WireRecord& record) {
  constexpr std::array<std::int64_t, 8> kTargets = {0,        -1,       2 * kMs,   8 * kMs,
                                                    17 * kMs, 33 * kMs, 200 * kMs, 0};
  wire_hint_target hint{};
  hint.header = header_;
  hint.header.kind = WIRE_HINT_TARGET;
  const unsigned which = bytes_.take();
  hint.target_ns = which < 0xf0U ? kTargets[which & 7U] : odd_time(which);
  record.hold(hint);
}

void WireScript::any_bytes(WireRecord& record) {
  record.hold(header_);
  record.size = bytes_.take() % (record.bytes.size() + 1);
  for (std::size_t i = 0; i < record.size && !bytes_.empty(); ++i) {
    record.bytes[i] = static_cast<std::byte>(bytes_.take());
  }
}

}  // namespace framegov::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_info.h"

#include <limits>

namespace framegov {
namespace {

// libs/hwui/FrameInfo.h, UiFrameInfoIndex.
constexpr std::size_t kOldSize = 9;
constexpr std::size_t kHandleInputStart = 5;
constexpr std::size_t kFrameDeadline = 9;
constexpr std::size_t kFrameInterval = 11;
// Native fields, counted from the end of Java's.
constexpr std::size_t kGpuCompleted = 7;

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

constexpr bool known_size(std::size_t size) {
  return size == kOldSize || (size >= 12 && size <= 14);
}

constexpr std::size_t vsync_index(std::size_t size) { return size == kOldSize ? 2 : 3; }

}  // namespace

tl::expected<FrameInfoTimes, FrameInfoFault> decode_frame_info(std::span<const std::int64_t> fields,
                                                               Instant at) {
  if (!known_size(fields.size())) {
    return tl::unexpected(FrameInfoFault::kSize);
  }
  FrameInfoTimes times;
  const std::int64_t vsync = fields[vsync_index(fields.size())];
  if (vsync <= 0 || vsync > to_ns(at) || vsync < to_ns(at - kMaxFrameAge)) {
    return tl::unexpected(FrameInfoFault::kVsync);
  }
  times.vsync = instant_from_ns(vsync);
  const std::int64_t ui_start = fields[kHandleInputStart];
  if (ui_start >= vsync && ui_start <= to_ns(at)) {
    times.ui_start = instant_from_ns(ui_start);
  }
  if (fields.size() == kOldSize) {
    return times;
  }
  const std::int64_t deadline = fields[kFrameDeadline];
  if (deadline < 0 || (deadline != kNone && deadline > to_ns(times.vsync + kMaxFrameInterval))) {
    return tl::unexpected(FrameInfoFault::kDeadline);
  }
  if (deadline != kNone && deadline > vsync) {
    times.deadline = instant_from_ns(deadline);
  }
  const Duration interval{fields[kFrameInterval]};
  if (interval > Duration::zero()) {
    if (interval < kMinFrameInterval || interval > kMaxFrameInterval) {
      return tl::unexpected(FrameInfoFault::kInterval);
    }
    times.interval = interval;
  } else if (interval < Duration{-1}) {
    return tl::unexpected(FrameInfoFault::kInterval);
  }
  return times;
}

FinishedTimes decode_finished(std::span<const std::int64_t> fields, std::size_t size, Instant at) {
  FinishedTimes times;
  if (!known_size(size) || fields.size() <= size + kGpuCompleted) {
    return times;
  }
  const std::int64_t vsync = fields[vsync_index(size)];
  const std::int64_t done = fields[size + kGpuCompleted];
  if (vsync > 0 && done > vsync && done <= to_ns(at)) {
    times = {instant_from_ns(vsync), instant_from_ns(done)};
  }
  return times;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "policy/frames_in_flight.h"

#include <algorithm>

namespace framegov {

namespace {

/// Parts of an interval: a thread that starts a frame this soon after the one before was busy with
/// it; and a vsync is this near where it is expected.
constexpr int kBusyPart = 16;
constexpr int kJitterPart = 8;
/// A late frame that waited longer than this part of an interval for a buffer was late for that.
constexpr int kStuffedPart = 4;

}  // namespace

Instant FramesInFlight::vsync_of(Instant start) const {
  const Duration soon = interval_ / kBusyPart;
  const bool was_busy = !begun_.empty() || start - ui_done_ < soon || start - ready_ < soon;
  if (!was_busy || interval_ <= Duration::zero() || start < last_vsync_ + interval_) {
    return start;
  }
  const Duration late = (start - last_vsync_) % interval_;
  return late > interval_ - interval_ / kJitterPart ? start : start - late;
}

Instant FramesInFlight::next_vsync(Instant now) const {
  if (interval_ <= Duration::zero()) {
    return now;
  }
  const Duration since = now - last_vsync_;
  return last_vsync_ + (since / interval_ + 1) * interval_;
}

bool FramesInFlight::overlap(Instant now, Duration budget) const {
  if (begun_.size() < 2) {
    return false;
  }
  const Instant before =
      begun_.size() == 2 ? due(budget) : begun_[begun_.size() - 2].vsync + budget;
  // The vsync that is its deadline comes a little early or late.
  return now < before - interval_ / kJitterPart;
}

Instant FramesInFlight::due(Duration budget) const {
  return is_known(next_buffer_) ? next_buffer_ + interval_ : oldest().vsync + budget;
}

void FramesInFlight::on_start(Instant start, bool replaces_last) {
  if (replaces_last && !begun_.empty()) {
    begun_.resize(begun_.size() - 1);
  }
  const Begun begun{start, vsync_of(start)};
  if (begun_.empty()) {
    next_buffer_ = Instant{};  // the queue has had time to empty
  }
  if (begun_.size() == kMost) {
    std::copy(begun_.begin() + 1, begun_.end(), begun_.begin());
    begun_.resize(kMost - 1);
  }
  begun_.push_back(begun);
  last_vsync_ = begun.vsync;
}

void FramesInFlight::on_end(const Frame& frame) {
  // Without a start of its own the frame is at least none that starts after it was ready.
  const Instant start = is_known(frame.start) ? frame.start : frame.ready;
  const auto left = static_cast<std::size_t>(std::count_if(
      begun_.begin(), begun_.end(), [&](const Begun& each) { return each.start > start; }));
  if (left < begun_.size()) {
    std::copy(begun_.end() - left, begun_.end(), begun_.begin());
    begun_.resize(left);
  }
  interval_ = frame.period();
  const bool stuffed = frame.late() && frame.blocked > interval_ / kStuffedPart && !begun_.empty();
  next_buffer_ = stuffed ? std::max(frame.ui_done, ready_) + frame.blocked + interval_ : Instant{};
  ui_done_ = frame.ui_done;
  ready_ = frame.ready;
  if (begun_.empty()) {
    last_vsync_ = frame.origin();
  }
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "policy/frames_in_flight.h"

#include <algorithm>

namespace framegov {

namespace {

/// Parts of an interval: a thread that starts a frame this soon after the one before was busy with
/// it, and this soon was held up by it; a vsync is this near where it is expected, and the vsync
/// that is a deadline this near it.
constexpr int kBusyPart = 16;
constexpr int kAtOncePart = 128;
constexpr int kJitterPart = 8;
constexpr int kDuePart = 64;
/// Two starts this part of an interval apart, and the second this part of it from where a vsync is
/// expected: the display has another rate. Threads are late for their vsyncs by less.
constexpr double kSoonerPart = 0.75;
constexpr int kOffGridPart = 6;
/// A vsync is taken to be this part of an interval early at most; what is known of it fades by this
/// part with each frame that was held up.
constexpr int kMostEarlyPart = 3;
constexpr int kForgetPart = 8;
/// A late frame that waited longer than this part of an interval for a buffer was late for that.
constexpr int kStuffedPart = 4;

}  // namespace

FramesInFlight::Begun FramesInFlight::begun_by(const FrameStart& begun) const {
  const Instant start = begun.at;
  if (is_known(begun.deadline)) {  // it follows no vsync
    return {start, start, Instant{}, begun.deadline};
  }
  const Duration since_busy = start - std::max(ui_done_, ready_);
  const bool was_busy = !begun_.empty() || since_busy < interval_ / kBusyPart;
  if (interval_ <= Duration::zero() || !was_busy) {
    return {start, start, Instant{}, Instant{}};
  }
  const Duration since = start - last_vsync_;
  if (since_busy < interval_ / kAtOncePart) {
    const Instant latest = last_vsync_ + std::max<Duration::rep>(1, since / interval_) * interval_;
    return {start, std::min(start, latest - early_), std::min(start, latest), Instant{}};
  }
  const Duration late = since % interval_;
  const bool just_come = since < interval_ || late > interval_ - interval_ / kJitterPart;
  return {start, just_come ? start : start - late, Instant{}, Instant{}};
}

void FramesInFlight::learn_early(const Begun& begun, const Frame& frame) {
  if (is_known(begun.latest) && is_known(frame.vsync)) {
    const Duration early = std::min(begun.latest - frame.vsync, interval_ / kMostEarlyPart);
    early_ = std::max(early_ - early_ / kForgetPart, early);
  }
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
      begun_.size() == 2 ? due(budget) : begun_[begun_.size() - 2].due_within(budget);
  // The vsync that is its deadline comes a little early or late.
  return now < before - interval_ / kDuePart;
}

Instant FramesInFlight::due(Duration budget) const {
  return is_known(next_buffer_) ? next_buffer_ + interval_ : oldest().due_within(budget);
}

bool FramesInFlight::is_sooner(const FrameStart& start, const Begun& begun) const {
  if (start.replaces_last || start.tid != last_tid_ || is_known(begun.latest) ||
      is_known(begun.due) || !is_known(known_vsync_) || interval_ <= Duration::zero()) {
    return false;
  }
  const Duration off = (start.at - known_vsync_) % interval_;
  return to_seconds(start.at - last_start_) < kSoonerPart * to_seconds(interval_) &&
         std::min(off, interval_ - off) > interval_ / kOffGridPart;
}

void FramesInFlight::on_start(const FrameStart& start) {
  if (start.replaces_last && !begun_.empty()) {
    begun_.pop_back();
  }
  const Begun begun = begun_by(start);
  if (begun_.empty()) {
    next_buffer_ = Instant{};  // the queue has had time to empty
  }
  if (begun_.size() == kMost) {
    begun_.erase_front(1);
  }
  begun_.push_back(begun);
  last_vsync_ = begun.vsync;
  sooner_ = is_sooner(start, begun);
  last_start_ = start.at;
  last_tid_ = start.tid;
}

void FramesInFlight::on_end(const Frame& frame) {
  // Without a start of its own the frame is at least none that starts after it was ready.
  const Instant start = is_known(frame.start) ? frame.began() : frame.ready;
  const auto left = static_cast<std::size_t>(std::count_if(
      begun_.begin(), begun_.end(), [&](const Begun& each) { return each.start > start; }));
  if (left < begun_.size()) {
    const Begun& ended = begun_[begun_.size() - left - 1];
    if (ended.start == start) {
      learn_early(ended, frame);
    }
    begun_.erase_front(begun_.size() - left);
  }
  interval_ = frame.period();
  const bool stuffed = frame.late() && frame.blocked > interval_ / kStuffedPart && !begun_.empty();
  next_buffer_ = stuffed ? std::max(frame.ui_done, ready_) + frame.blocked + interval_ : Instant{};
  ui_done_ = frame.ui_done;
  ready_ = frame.ready;
  known_vsync_ = frame.vsync;
  if (begun_.empty()) {
    last_vsync_ = frame.origin();
  }
}

}  // namespace framegov

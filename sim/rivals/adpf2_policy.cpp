// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/adpf2_policy.h"

#include <algorithm>

#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

namespace {

namespace adpf2 {
constexpr double kOver = 3.0;
constexpr double kUnder = 0.6;
constexpr double kUnderSevere = 0.3;
constexpr double kSlopeOver = 500.0;
constexpr int kInitial = 256;
constexpr int kResume = 480;
constexpr int kLow = 2;
constexpr int kHigh = 480;
constexpr std::pair kFloors{256, 410};
constexpr std::pair kCeilings{480, 722};
constexpr int kModerateMisses = 2;
constexpr int kSevereMisses = 4;
constexpr double kCalmRatio = 4.0;  ///< longest report over the mean
constexpr double kLowRate = 25;     ///< frames/s
constexpr int kStaleTargets = 15;
constexpr double kUnitNs = 100e3;
}  // namespace adpf2

int between(std::pair<int, int> ends, double part) {
  return ends.first + static_cast<int>((ends.second - ends.first) * part);
}

}  // namespace

double Adpf2Policy::last_fps() const {
  const std::size_t count = std::min(reports_, kRecords);
  const Instant newest = ready_[(reports_ - 1) % kRecords];
  const Instant oldest = ready_[(reports_ - count) % kRecords];
  return count > 1 && newest > oldest ? static_cast<double>(count - 1) / to_seconds(newest - oldest)
                                      : adpf2::kLowRate;
}

void Adpf2Policy::judge_jank() {
  const std::size_t count = std::min(reports_, kRecords);
  Duration sum{};
  Duration longest{};
  misses_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += durations_[i];
    longest = std::max(longest, durations_[i]);
    misses_ += durations_[i] > target_ ? 1 : 0;
  }
  const double ratio = to_seconds(longest) * static_cast<double>(count) / to_seconds(sum);
  if (last_fps() < adpf2::kLowRate) {
    jank_ = Jank::kLight;
  } else if (misses_ >= adpf2::kSevereMisses) {
    jank_ = Jank::kSevere;
  } else if (misses_ >= adpf2::kModerateMisses) {
    jank_ = Jank::kModerate;
  } else if (jank_ != Jank::kLight) {
    jank_ = ratio < adpf2::kCalmRatio ? Jank::kLight : Jank::kModerate;
  }
}

void Adpf2Policy::on_report(const Frame& frame) {
  if (frame.budget() != target_) {
    target_ = frame.budget();
    reports_ = 0;
    jank_ = Jank::kLight;
    has_last_error_ = false;
  }
  if (uclamp_min_ == 0) {
    uclamp_min_ = adpf2::kInitial;
    has_last_error_ = false;
  }
  const Duration actual = frame.generation_time();
  durations_[reports_ % kRecords] = actual;
  ready_[reports_ % kRecords] = frame.ready;
  ++reports_;
  judge_jank();

  const double error = static_cast<double>((actual - target_).count()) / adpf2::kUnitNs;
  const double dt = static_cast<double>(target_.count()) / adpf2::kUnitNs;
  const double gain = error > 0                ? adpf2::kOver
                      : jank_ == Jank::kSevere ? adpf2::kUnderSevere
                                               : adpf2::kUnder;
  const double slope = has_last_error_ ? std::max(0.0, error - last_error_) : 0;
  last_error_ = error;
  has_last_error_ = true;

  int floor = adpf2::kLow;
  int ceiling = adpf2::kHigh;
  if (jank_ != Jank::kLight) {
    const double part = std::clamp(
        (misses_ - adpf2::kModerateMisses) / double{adpf2::kSevereMisses - adpf2::kModerateMisses},
        0.0, 1.0);
    floor = between(adpf2::kFloors, part);
    ceiling = between(adpf2::kCeilings, part);
  }
  const int change =
      static_cast<int>(gain * error) + static_cast<int>(adpf2::kSlopeOver * slope / dt);
  uclamp_min_ = std::clamp(uclamp_min_ + change, floor, ceiling);
}

Instant Adpf2Policy::wake_at() const { return is_known(resume_until_) ? resume_until_ : stale_at_; }

const FrequencyPlan& Adpf2Policy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameEnd && input.frame->budget() > Duration::zero()) {
    on_report(*input.frame);
    stale_at_ = input.now + target_ * adpf2::kStaleTargets;
    resume_until_ = Instant{};
    clusters_ = thread_clusters(topology_, *input.frame);
  } else if (input.event == PolicyEvent::kFrameStart && uclamp_min_ == 0 &&
             target_ > Duration::zero()) {
    resume_until_ = input.now + target_ * adpf2::kStaleTargets / 2;
  } else if (input.event == PolicyEvent::kTimer) {
    if (is_known(stale_at_) && input.now >= stale_at_) {
      uclamp_min_ = 0;
      stale_at_ = Instant{};
    }
    if (input.now >= resume_until_) {
      resume_until_ = Instant{};
    }
  }
  plan_.uncap(topology_.clusters.size(), ReasonCode::kFixed);
  const int clamp = std::max(uclamp_min_, is_known(resume_until_) ? adpf2::kResume : 0);
  if (clamp > 0) {
    const Speed top = topology_.clusters[topology_.fastest_cluster()].max_speed();
    if (input.levers.clamps) {
      clamp_threads({.clusters = 0, .floor = top * (clamp / 1024.0), .cap = {}}, plan_);
    } else {
      set_floors(topology_, clusters_, top * (1.25 * clamp / 1024.0), plan_);
    }
  }
  return plan_;
}

}  // namespace framegov::sim

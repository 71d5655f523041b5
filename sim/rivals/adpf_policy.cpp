// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/adpf_policy.h"

#include <algorithm>

#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

namespace {

constexpr double kOver = 2.0;
constexpr double kUnder = 1.0;
constexpr double kSlopeOver = 500.0;
constexpr double kSlopeUnder = 0.0;
constexpr int kInitialAt120Hz = 232;
constexpr int kInitial = 162;
constexpr int kLow = 2;
constexpr int kHigh = 480;
constexpr int kBoostedHigh = 722;
constexpr int kStaleTargets = 15;
constexpr Duration kUnit = std::chrono::microseconds{100};

}  // namespace

void AdpfPolicy::on_report(Duration actual, Duration target) {
  if (uclamp_min_ == 0) {
    uclamp_min_ = target < std::chrono::milliseconds{10} ? kInitialAt120Hz : kInitial;
    has_last_error_ = false;
  }
  // Heuristic boost: how many of the last 300 reports took over 120 % of the target.
  misses_[reports_++ % kRecords] = actual > target + target / 5;
  boosted_ = boosted_ ? misses_.count() > 5 : misses_.count() >= 8;

  const long error = static_cast<long>((actual - target) / kUnit);
  const auto dt = std::max<long>(1, static_cast<long>(target / kUnit));
  const double gain = error > 0 ? kOver : kUnder * (boosted_ ? 0.5 : 1.0);
  const auto proportional = static_cast<int>(gain * static_cast<double>(error));
  const long slope = has_last_error_ ? error - last_error_ : 0;
  const auto derivative = static_cast<int>((slope > 0 ? kSlopeOver : kSlopeUnder) *
                                           static_cast<double>(slope) / static_cast<double>(dt));
  last_error_ = error;
  has_last_error_ = true;
  uclamp_min_ =
      std::clamp(uclamp_min_ + proportional + derivative, kLow, boosted_ ? kBoostedHigh : kHigh);
}

const FrequencyPlan& AdpfPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameEnd && input.frame->budget() > Duration::zero()) {
    const Frame& frame = *input.frame;
    on_report(frame.generation_time(), frame.budget());
    stale_at_ = input.now + frame.budget() * kStaleTargets;
    frame_clusters_ = thread_clusters(topology_, frame);
  } else if (input.event == PolicyEvent::kTimer && input.now >= stale_at_) {
    uclamp_min_ = 0;
    stale_at_ = Instant{};
  }
  plan_ = FrequencyPlan::uncapped(topology_.clusters.size(), ReasonCode::kFixed);
  if (uclamp_min_ > 0) {
    const Speed top = topology_.clusters[topology_.fastest_cluster()].max_speed();
    if (input.levers.clamps) {
      clamp_threads({.clusters = 0, .floor = top * (uclamp_min_ / 1024.0), .cap = {}}, plan_);
    } else {
      set_floors(topology_, frame_clusters_, top * (1.25 * uclamp_min_ / 1024.0), plan_);
    }
  }
  return plan_;
}

}  // namespace framegov::sim

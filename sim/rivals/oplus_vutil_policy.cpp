// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/oplus_vutil_policy.h"

#include <algorithm>
#include <bit>

namespace framegov::sim {

namespace {

constexpr int kFullUtil = 1024;
constexpr int kMarginMs = 1;
constexpr double kSchedutilMargin = 1.25;

}  // namespace

int OplusVutilPolicy::virtual_util(int t, int end) {
  return t >= end ? kFullUtil : std::clamp(t * (t + kFullUtil / end - end), 0, kFullUtil);
}

void OplusVutilPolicy::plan_frame() {
  const Speed top = topology_.clusters[topology_.fastest_cluster()].max_speed();
  const auto end = static_cast<int>(period_ / std::chrono::milliseconds{1}) + kMarginMs;
  const auto speed_after = [&](int ms) {
    return top * (kSchedutilMargin * std::max(virtual_util(ms, end), real_util_) / kFullUtil);
  };
  set_floors(topology_, clusters_, speed_after(0), plan_);
  const int each = static_cast<int>(kMaxPlanSteps) / std::max(1, std::popcount(clusters_));
  const int stride = (end + each - 1) / each;
  FrequencyPlan later = plan_;
  for (int ms = stride; ms < end + stride; ms += stride) {
    const int at = std::min(ms, end);
    set_floors(topology_, clusters_, speed_after(at), later);
    for (std::size_t c = 0; c < later.clusters.size(); ++c) {
      if (((clusters_ >> c) & 1U) != 0 && !plan_.steps.full()) {
        plan_.steps.push_back(
            {std::chrono::milliseconds{at}, static_cast<std::uint8_t>(c), later.clusters[c]});
      }
    }
  }
}

const FrequencyPlan& OplusVutilPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kFrameStart) {
    frames_.begin(*input.start);
    window_until_ = input.start->at + 2 * period_;
  } else if (input.event == PolicyEvent::kFrameEnd) {
    const Frame& frame = *input.frame;
    frames_.end();
    period_ = frame.period() > Duration::zero() ? frame.period() : period_;
    const double run = to_seconds(frame.ui_cpu_time + frame.render_cpu_time);
    real_util_ = std::min(kFullUtil, static_cast<int>(kFullUtil * run / to_seconds(period_)));
    clusters_ = thread_clusters(topology_, frame);
  } else if (input.event == PolicyEvent::kTimer && input.now >= window_until_) {
    frames_.forget();
  }
  plan_.uncap(topology_.clusters.size(), ReasonCode::kFixed);
  if (frames_.any()) {
    plan_frame();
  } else {
    window_until_ = Instant{};
  }
  return plan_;
}

}  // namespace framegov::sim

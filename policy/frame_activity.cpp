// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_activity.h"

namespace framegov {

namespace {

std::uint32_t cluster_bit(const CpuTopology& topology, int cpu) {
  const auto cluster = topology.cluster_of(cpu);
  return cluster ? 1U << *cluster : 0U;
}

}  // namespace

FrameActivity::FrameActivity(const CpuTopology& topology, int still_after_intervals)
    : topology_(topology),
      still_after_intervals_(still_after_intervals),
      cluster_(topology.fastest_cluster()) {}

bool FrameActivity::on_start(Instant now, int cluster) {
  wake_at_ = now + interval_ * still_after_intervals_;
  if (state_ == State::kStarting) {
    if (clusters_ == 0 && cluster >= 0 &&
        static_cast<std::size_t>(cluster) < topology_.clusters.size()) {
      cluster_ = static_cast<std::size_t>(cluster);
      clusters_ = 1U << cluster_;
    }
    return false;
  }
  if (state_ == State::kLost) {
    return false;
  }
  const bool was_still = state_ == State::kStill;
  state_ = State::kMaking;
  return was_still;
}

FrameActivity::Ended FrameActivity::on_frame(const Frame& frame, Instant now) {
  if (frame.busy_budget() <= Duration::zero() || frame.generation_time() <= Duration::zero()) {
    state_ = State::kLost;
    return {.understood = false, .first_after_still = false, .governed = false};
  }
  const Ended ended{.understood = true,
                    .first_after_still = first_after_still_,
                    .governed = state_ == State::kMaking};
  if (frame.cluster >= 0 && static_cast<std::size_t>(frame.cluster) < topology_.clusters.size()) {
    cluster_ = static_cast<std::size_t>(frame.cluster);
  }
  clusters_ = cluster_bit(topology_, frame.ui_cpu) | cluster_bit(topology_, frame.render_cpu) |
              1U << cluster_;
  interval_ = frame.period();
  budget_ = frame.busy_budget();
  wake_at_ = now + interval_ * still_after_intervals_;
  first_after_still_ = false;
  if (frames_ < kStartFrames) {
    ++frames_;
  }
  state_ = frames_ < kStartFrames ? State::kStarting : State::kMaking;
  return ended;
}

void FrameActivity::on_timer() {
  wake_at_ = Instant{};
  if (state_ == State::kMaking) {
    state_ = State::kStill;
  }
  first_after_still_ = true;
  clusters_ = state_ == State::kStarting ? 0 : clusters_;
}

void FrameActivity::reset() {
  state_ = State::kStarting;
  frames_ = 0;
  first_after_still_ = true;
  wake_at_ = Instant{};
  clusters_ = 0;
}

FrequencyPlan FrameActivity::unplanned() const {
  const std::size_t clusters = topology_.clusters.size();
  if (state_ == State::kLost) {
    return FrequencyPlan::uncapped(clusters, ReasonCode::kNotUnderstood);
  }
  if (state_ == State::kStill) {
    return FrequencyPlan::uncapped(clusters, ReasonCode::kStill);
  }
  FrequencyPlan plan = FrequencyPlan::uncapped(clusters, ReasonCode::kStarting);
  for (std::size_t i = 0; i < clusters; ++i) {
    if (((clusters_ >> i) & 1U) != 0) {
      plan.clusters[i].floor = topology_.clusters[i].max_frequency();
    }
  }
  return plan;
}

}  // namespace framegov

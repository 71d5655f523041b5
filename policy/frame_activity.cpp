// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_activity.h"

#include <algorithm>

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

bool FrameActivity::is_cluster(int index) const {
  return index >= 0 && static_cast<std::size_t>(index) < topology_.clusters.size();
}

void FrameActivity::run_on(std::uint32_t clusters) {
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    const bool runs = ((clusters >> i) & 1U) != 0;
    recent_[i] = runs ? kVisited : std::max(recent_[i] - 1, 0);
  }
}

std::uint32_t FrameActivity::run_within(int frames) const {
  std::uint32_t clusters = 0;
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    clusters |= recent_[i] > kVisited - frames ? 1U << i : 0U;
  }
  return clusters;
}

bool FrameActivity::on_start(Instant now, const FrameStart& start) {
  wake_at_ = now + interval_ * still_after_intervals_;
  const bool known = is_cluster(start.cluster);
  const auto cluster = known ? static_cast<std::size_t>(start.cluster) : cluster_;
  if (state_ == State::kStarting) {
    if (clusters_ == 0 && known) {
      cluster_ = cluster;
      clusters_ = 1U << cluster_;
    }
    return false;
  }
  if (start.replaces_last) {
    clusters_ = run_within(kInUse);
  }
  if (known) {
    clusters_ |= 1U << cluster;
    if (is_known(start.deadline)) {  // a game's only thread
      cluster_ = cluster;
    }
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
    return {.understood = false, .first_after_still = false, .governed = false, .elsewhere = false};
  }
  const std::uint32_t planned = clusters_;
  if (is_cluster(frame.cluster)) {
    cluster_ = static_cast<std::size_t>(frame.cluster);
  }
  const std::uint32_t ran = cluster_bit(topology_, frame.ui_cpu) |
                            cluster_bit(topology_, frame.render_cpu) | 1U << cluster_;
  const Ended ended{.understood = true,
                    .first_after_still = first_after_still_,
                    .governed = state_ == State::kMaking,
                    .elsewhere = ((planned >> cluster_) & 1U) == 0};
  if (state_ == State::kStarting) {
    recent_.fill(0);  // a launch goes from cluster to cluster
  }
  run_on(ran);
  clusters_ = run_within(kInUse);
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
  recent_.fill(0);
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

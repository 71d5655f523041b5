// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_activity.h"

#include <algorithm>
#include <bit>

namespace framegov {

FrameActivity::FrameActivity(const CpuTopology& topology, int still_after_intervals)
    : topology_(topology),
      still_after_intervals_(still_after_intervals),
      cluster_(topology.fastest_cluster()) {
  for (std::size_t cpu = 0; cpu < kMaxCpus; ++cpu) {
    const auto cluster = topology.cluster_of(static_cast<int>(cpu));
    bit_of_cpu_[cpu] = cluster ? static_cast<std::uint8_t>(1U << *cluster) : std::uint8_t{0};
  }
}

bool FrameActivity::is_cluster(int index) const {
  return index >= 0 && static_cast<std::size_t>(index) < topology_.clusters.size();
}

bool FrameActivity::on_start(Instant now, const FrameStart& start) {
  // An app that asks for each vsync and draws nothing makes no frames.
  const Duration pause = interval_ * still_after_intervals_;
  const bool draws_nothing = start.replaces_last && now - last_start_ < pause;
  const bool goes_on = newest_unended_ && !start.replaces_last && start.tid == newest_tid_;
  holding_up_ = goes_on ? newest_began_ : Instant{};
  newest_unended_ = true;
  newest_began_ = start.at;
  newest_tid_ = start.tid;
  last_start_ = now;
  if (!draws_nothing) {
    wake_at_ = now + pause;
  } else if (!is_known(wake_at_)) {
    return false;
  }
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
    clusters_ = recent_.in_use();
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
  newest_unended_ = newest_unended_ && is_known(frame.start) && frame.began() < newest_began_;
  holding_up_ = Instant{};
  if (frame.busy_budget() <= Duration::zero() || frame.generation_time() <= Duration::zero()) {
    state_ = State::kLost;
    return {};
  }
  const std::uint32_t planned = clusters_;
  if (is_cluster(frame.cluster)) {
    cluster_ = static_cast<std::size_t>(frame.cluster);
  }
  const std::uint32_t ui = bit_of(frame.ui_cpu);
  const std::uint32_t render = bit_of(frame.render_cpu);
  const std::uint32_t ran = ui | render | 1U << cluster_;
  split_.reset();
  if (ui != 0 && render != 0 && ui != render) {
    split_ = {static_cast<std::size_t>(std::countr_zero(ui)),
              static_cast<std::size_t>(std::countr_zero(render))};
  }
  const Ended ended{.understood = true,
                    .first_after_still = first_after_still_,
                    .governed = state_ == State::kMaking,
                    .elsewhere = ((planned >> cluster_) & 1U) == 0,
                    .planned_budget = budget_};
  if (state_ == State::kStarting) {
    recent_.clear();  // a launch goes from cluster to cluster
  }
  recent_.add(ran);
  clusters_ = recent_.in_use();
  interval_ = frame.period();
  const Duration budget = frame.busy_budget();
  // One frame that has more time, for whatever reason, says nothing of the next.
  budget_ = frame.has(FramePart::kSurface)
                ? budget
                : std::min(std::min(budget, budgets_[0]), std::min(budgets_[1], budgets_[2]));
  budgets_ = {budget, budgets_[0], budgets_[1]};
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
  split_.reset();
  newest_unended_ = false;
  holding_up_ = Instant{};
  recent_.clear();
  budgets_.fill(kLong);
}

void FrameActivity::resume() {
  if (state_ == State::kStarting) {
    reset();
    return;
  }
  state_ = State::kStill;
  first_after_still_ = true;
  wake_at_ = Instant{};
  newest_unended_ = false;
  holding_up_ = Instant{};
}

void FrameActivity::ask_unplanned(FrequencyPlan& plan) const {
  const std::size_t clusters = topology_.clusters.size();
  plan.uncap(clusters, state_ == State::kLost    ? ReasonCode::kNotUnderstood
                       : state_ == State::kStill ? ReasonCode::kStill
                                                 : ReasonCode::kStarting);
  if (plan.reason.code != ReasonCode::kStarting) {
    return;
  }
  for (std::size_t i = 0; i < clusters; ++i) {
    if (((clusters_ >> i) & 1U) != 0) {
      plan.clusters[i].floor = topology_.clusters[i].max_frequency();
    }
  }
}

}  // namespace framegov

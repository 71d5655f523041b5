// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"
#include "tests/support/phone_topology.h"

namespace framegov::sim::test_rivals {

inline constexpr std::size_t kBig = 2;

/// Feeds frames of a 100 Hz display, round numbers, made on the big cluster.
class Feeder {
 public:
  /// `headroom`: of clamps; zero: there are none.
  explicit Feeder(Policy& policy, double headroom = 0) : policy_(policy) {
    levers_ = {.placement = headroom > 0, .clamps = headroom > 0, .headroom = headroom};
  }

  FrequencyPlan start() {
    FrameStart start;
    start.at = now_;
    PolicyInput input;
    input.event = PolicyEvent::kFrameStart;
    input.now = now_;
    input.start = &start;
    input.levers = levers_;
    return policy_.step(input);
  }
  /// A frame `since_last` after the last one's ready time that took `generation`, `ui` of it until
  /// the hand-over (zero: all).
  FrequencyPlan frame(Duration since_last, Duration generation, Duration cpu = {},
                      Duration ui = {}) {
    now_ += since_last;
    Frame frame;
    frame.ready = now_;
    frame.vsync = now_ - generation;
    frame.start = frame.vsync;
    frame.ui_done = ui > Duration::zero() ? frame.vsync + ui : now_;
    frame.interval = std::chrono::milliseconds{10};
    frame.deadline = frame.vsync + frame.interval;
    frame.ui_cpu_time = cpu;
    frame.cluster = kBig;
    frame.ui_cpu = 6;
    frame.render_cpu = 6;
    return step(PolicyEvent::kFrameEnd, &frame);
  }
  FrequencyPlan timer(Duration later) {
    now_ += later;
    return step(PolicyEvent::kTimer, nullptr);
  }
  FrequencyPlan touch() { return step(PolicyEvent::kTouch, nullptr); }

 private:
  FrequencyPlan step(PolicyEvent event, const Frame* frame) {
    PolicyInput input;
    input.event = event;
    input.now = now_;
    input.frame = frame;
    input.levers = levers_;
    return policy_.step(input);
  }

  Policy& policy_;
  ThreadLevers levers_;
  Instant now_ = instant_from_ns(1'000'000'000);
};

/// The OPP of the big cluster that a cap or a floor names.
inline std::size_t opp_of(Frequency frequency) {
  static const CpuTopology kTopology = test::phone_topology();
  return kTopology.clusters[kBig].opp_at_most(frequency);
}

}  // namespace framegov::sim::test_rivals

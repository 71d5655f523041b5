// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/cpu_topology.h"
#include "policy/policy.h"

namespace framegov::test {

/// The simplest phone there is: one thread on one cluster makes each frame, generation time is
/// work / speed + fixed time, and the cluster runs at the plan's floor (top speed without one).
/// Timed steps of the plan count. Where threads can be steered and the plan does, they run on the
/// cluster and at the speed that it says. For closed-loop tests of policies.
class SingleStagePlant {
 public:
  SingleStagePlant(CpuTopology topology, Policy& policy, Duration interval)
      : topology_(topology), policy_(policy), interval_(interval) {}

  /// One frame, from its start event to its end. Returns what the policy was shown.
  Frame make_frame(Work work, Duration fixed = {});

  /// `intervals` without a frame; timers that the policy asked for fire.
  void rest(int intervals);

  void set_cluster(std::size_t cluster) { cluster_ = cluster; }
  void set_limit(Frequency max) { limit_ = max; }
  void set_write_lag(Duration lag) { write_lag_ = lag; }
  /// Steps come this much later than the policy is told; it sees the frames' mean frequency.
  void set_hidden_lag(Duration lag) { hidden_lag_ = lag; }
  void announce_starts(bool announce) { announce_starts_ = announce; }
  /// What frames tell of the GPU; it ends none here.
  void set_gpu_time(Duration time) { gpu_time_ = time; }
  void steer_threads(const ThreadLevers& levers) { levers_ = levers; }

  [[nodiscard]] const FrequencyPlan& plan() const { return plan_; }
  /// The plan that the newest frame began with.
  [[nodiscard]] const FrequencyPlan& plan_at_start() const { return plan_at_start_; }
  [[nodiscard]] Instant now() const { return vsync_; }

 private:
  void fire_timers(Instant until);
  [[nodiscard]] Speed speed_after(Duration since_start) const;
  /// What the plan says of the thread, if it does.
  [[nodiscard]] std::optional<ThreadPlan> thread_after(Duration since_start) const;
  void call(PolicyEvent event, Instant now, const Frame* frame, const FrameStart* start);

  CpuTopology topology_;
  Policy& policy_;
  Duration interval_;
  Instant vsync_ = instant_from_ns(1'000'000'000);
  std::size_t cluster_ = 2;
  std::optional<Frequency> limit_;
  bool announce_starts_ = true;
  Duration gpu_time_{};
  ThreadLevers levers_;
  Duration write_lag_{};
  std::optional<Duration> hidden_lag_;
  FrequencyPlan plan_;
  FrequencyPlan plan_at_start_;
};

}  // namespace framegov::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/frequency_plan.h"
#include "sim/plant/base_governor.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/random.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// Carries a policy's plans out, as the service does: writes only what changes, each write taking
/// effect a latency later (in the world's kernel and after its late events, in order), and fires a
/// plan's steps while its frame is not done.
class PlanActuator {
 public:
  PlanActuator(const DeviceTables& tables, double write_latency_ns, EventSlots& slots,
               const World& world = {});

  /// A new plan, which must stay until the next, replaces the old one and its steps. `frame_start`:
  /// when the newest frame in progress began; its steps count from there and those already due act
  /// at once. Without a frame in progress (negative) steps have nothing to count from and are
  /// dropped.
  void apply(const FrequencyPlan& plan, double frame_start, double now);
  /// The step(s) due now.
  void fire_step(double now);
  /// The plan's frame is done: what has not fired never will.
  void cancel_steps();

  /// What the write that takes effect now makes of each cluster.
  using Ranges = std::array<OppRange, kMaxClusters>;
  [[nodiscard]] Ranges land_write();

  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t steps_fired() const { return steps_fired_; }

 private:
  static constexpr std::size_t kPending = 16;
  struct Write {
    double at = 0;
    Ranges ranges;
  };

  [[nodiscard]] double due(const PlanStep& step) const {
    return steps_from_ + static_cast<double>(step.after.count());
  }
  /// Other limits than asked for so far.
  void request(std::size_t cluster, const ClusterPlan& limits);
  void submit(double now);
  /// What the world adds to the latency of the next write.
  [[nodiscard]] double hidden_delay();
  void arm_next_step();

  const DeviceTables* tables_;
  double write_latency_ns_;
  double event_latency_ns_;
  bool work_item_;
  Random random_;
  EventSlots* slots_;
  std::array<ClusterPlan, kMaxClusters> requested_{};
  Ranges ranges_{};  ///< of requested_
  bool dirty_ = false;
  std::array<Write, kPending> pending_{};
  std::size_t first_pending_ = 0;
  std::size_t pending_count_ = 0;
  std::span<const PlanStep> steps_;  ///< the plan's that have not fired
  double steps_from_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t steps_fired_ = 0;
};

}  // namespace framegov::sim

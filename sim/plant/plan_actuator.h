// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/frequency_plan.h"
#include "sim/plant/base_governor.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/random.h"
#include "sim/plant/thread_hold.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// From the event that caused it until a write is in force, ns.
struct WriteLatency {
  double limits = 0;   ///< a file of cpufreq's
  double threads = 0;  ///< a system call
};

/// Carries a policy's plans out, as the service does: writes only what changes, each write taking
/// effect a latency later (in the world's kernel and after its late events, in order), and fires a
/// plan's steps while its frame is not done.
class PlanActuator {
 public:
  PlanActuator(const DeviceTables& tables, WriteLatency latency, EventSlots& slots,
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

  /// The plan's threads are other ones from now on, of which nothing has been asked.
  void forget_threads();

  /// What the writes that take effect now make of each cluster, and of each of a frame's threads;
  /// what `now` is not the time of is as before.
  using Ranges = std::array<OppRange, kMaxClusters>;
  static constexpr std::size_t kFrameThreads = 2;  ///< UI thread and RenderThread
  using Holds = std::array<ThreadHold, kFrameThreads>;
  void land_writes(double now);
  [[nodiscard]] const Ranges& ranges() const { return landed_; }
  [[nodiscard]] const Holds& holds() const { return landed_holds_; }

  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  [[nodiscard]] std::uint64_t thread_writes() const { return thread_writes_; }
  [[nodiscard]] std::uint64_t steps_fired() const { return steps_fired_; }

 private:
  static constexpr std::size_t kPending = 16;
  /// What has been written and is not in force yet, in order.
  template <class Values>
  class Pending {
   public:
    [[nodiscard]] double first_at() const {
      return count_ > 0 ? writes_[first_].at : EventSlots::kNever;
    }
    [[nodiscard]] bool full() const { return count_ == kPending; }
    /// Not before what was written before. Where there is no room what lands last is what counts.
    void push(double at, const Values& values) {
      if (full()) {
        last().values = values;
        return;
      }
      at = count_ > 0 ? std::max(at, last().at) : at;
      ++count_;
      last() = {at, values};
    }
    void pop(Values& values) {
      values = writes_[first_].values;
      first_ = (first_ + 1) % kPending;
      --count_;
    }
    void clear() { count_ = 0; }

   private:
    struct Write {
      double at = 0;
      Values values;
    };
    [[nodiscard]] Write& last() { return writes_[(first_ + count_ - 1) % kPending]; }
    std::array<Write, kPending> writes_{};
    std::size_t first_ = 0;
    std::size_t count_ = 0;
  };

  template <class Step>
  [[nodiscard]] double due(const Step& step) const {
    return steps_from_ + static_cast<double>(step.after.count());
  }
  /// Other limits than asked for so far.
  void request(std::size_t cluster, const ClusterPlan& limits);
  /// Something else for a thread than asked for so far.
  void request_thread(std::size_t thread, const ThreadPlan& plan);
  void submit(double now);
  /// How late the world's events are.
  [[nodiscard]] double event_delay();
  void arm_write();
  void arm_next_step();

  const DeviceTables* tables_;
  WriteLatency latency_;
  double event_latency_ns_;
  bool work_item_;
  Random random_;
  EventSlots* slots_;
  std::array<ClusterPlan, kMaxClusters> requested_{};
  Ranges ranges_{};  ///< of requested_
  bool dirty_ = false;
  std::array<ThreadPlan, kFrameThreads> requested_threads_{};
  Holds holds_{};  ///< of requested_threads_
  bool threads_dirty_ = false;
  Pending<Ranges> pending_;
  Pending<Holds> pending_threads_;
  Ranges landed_{};
  Holds landed_holds_{};
  std::span<const PlanStep> steps_;  ///< the plan's that have not fired
  std::span<const ThreadStep> thread_steps_;
  double steps_from_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t thread_writes_ = 0;
  std::uint64_t steps_fired_ = 0;
};

}  // namespace framegov::sim

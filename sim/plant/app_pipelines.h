// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/plant/event_slots.h"
#include "sim/plant/fastest_reference.h"
#include "sim/plant/frame_pipeline.h"
#include "sim/plant/power_meter.h"

namespace framegov::sim {

/// The pipelines of a run's apps: each has threads, buffers and turns at the GPU of its own. What
/// they share are the clusters, whose speed and utilisation are asked for here, and CPUs.
class AppPipelines {
 public:
  /// `slots` takes the first app's events; the others' are kept here, so that one app costs no
  /// more than it did alone.
  AppPipelines(const FramePipeline::Phone& phone, EventSlots& slots);
  AppPipelines(const AppPipelines&) = delete;
  AppPipelines& operator=(const AppPipelines&) = delete;

  void use_util_est(bool use);
  void drop_late(bool drop);

  [[nodiscard]] std::size_t count() const { return 1 + others_; }
  [[nodiscard]] FramePipeline& operator[](std::size_t app) { return first_[app].pipeline; }
  /// The app's pipeline at full speed, to be told each of its frames.
  [[nodiscard]] FastestReference& fastest(std::size_t app) { return first_[app].fastest; }

  /// The first of all events, and whose it is if it is a pipeline's.
  [[nodiscard]] EventSlots::Next next(const EventSlots& slots, std::size_t& app) const {
    const EventSlots::Next next = slots.next();
    app = 0;
    return others_ == 0 ? next : next_of_all(next, app);
  }

  /// No app has a next frame.
  [[nodiscard]] bool exhausted() const {
    bool all = true;
    each([&](const FramePipeline& pipeline) { all = all && pipeline.exhausted(); });
    return all;
  }
  /// Of the frame that comes first; only before any has begun.
  [[nodiscard]] double next_vsync() const;
  /// Frames begun so far.
  [[nodiscard]] std::uint64_t started() const { return phone_.begun; }
  [[nodiscard]] std::uint64_t dropped() const;

  // What FramePipeline says of one app, of all of them.
  [[nodiscard]] std::uint32_t tick(double now);
  void speed_changed(std::size_t cluster, double now) {
    each([&](FramePipeline& pipeline) { pipeline.speed_changed(cluster, now); });
  }
  void refresh_idle_cpus(double now) {
    each([&](FramePipeline& pipeline) { pipeline.refresh_idle_cpus(now); });
  }
  [[nodiscard]] std::uint32_t thread_clusters() const {
    std::uint32_t clusters = 0;
    each([&](const FramePipeline& pipeline) { clusters |= pipeline.thread_clusters(); });
    return clusters;
  }
  [[nodiscard]] std::uint32_t running_clusters() const {
    std::uint32_t clusters = 0;
    each([&](const FramePipeline& pipeline) { clusters |= pipeline.running_clusters(); });
    return clusters;
  }
  /// Apps' threads have CPUs of their own, but where the cluster has one.
  [[nodiscard]] double util(std::size_t cluster, double now) {
    const double util = first_->pipeline.util(cluster, now);
    return others_ == 0 ? util : util_of_all(util, cluster, now);
  }
  /// A thread of some app has clamps.
  [[nodiscard]] bool clamps() const {
    bool any = false;
    each([&](const FramePipeline& pipeline) { any = any || pipeline.clamps(); });
    return any;
  }
  /// As util(), of a cluster with several CPUs, each within its clamps.
  [[nodiscard]] double clamped_util(std::size_t cluster, double now) {
    double util = 0;
    for (std::size_t app = 0; app <= others_; ++app) {
      util = std::max(util, first_[app].pipeline.clamped_util(cluster, now));
    }
    return util;
  }
  /// The clamps of a cluster's only CPU.
  [[nodiscard]] QueueClamps clamps_of_cpu(std::size_t cluster) const {
    QueueClamps clamps;
    const bool runs = ((running_clusters() >> cluster) & 1U) != 0;
    each([&](const FramePipeline& pipeline) { pipeline.add_clamps(cluster, runs, clamps); });
    return clamps;
  }
  [[nodiscard]] double util_bound(std::size_t cluster) const {
    double bound = 0;
    each([&](const FramePipeline& pipeline) { bound += pipeline.util_bound(cluster); });
    return bound;
  }
  [[nodiscard]] PowerMeter::Threads threads_on(std::size_t cluster) const {
    PowerMeter::Threads threads;
    const auto add = [&](const ThreadRun& thread) {
      if (thread.running() && thread.cluster() == cluster) {
        threads.running += thread.running_part();
        threads.in_stage += 1;
      }
    };
    each([&](const FramePipeline& pipeline) {
      add(pipeline.ui());
      add(pipeline.render());
    });
    return threads;
  }

 private:
  struct App {
    EventSlots* slots;
    FramePipeline pipeline;
    FastestReference fastest;
  };

  /// One app is what nearly all runs have: it costs no loop.
  template <class Function>
  void each(Function&& function) const {
    function(first_->pipeline);
    for (std::size_t app = 1; app <= others_; ++app) {
      function(first_[app].pipeline);
    }
  }
  [[nodiscard]] EventSlots::Next next_of_all(EventSlots::Next first, std::size_t& app) const;
  [[nodiscard]] double util_of_all(double first, std::size_t cluster, double now) const;

  FramePipeline::Phone phone_;
  std::vector<EventSlots> slots_;  ///< of all apps but the first
  std::vector<App> apps_;
  App* first_ = nullptr;  ///< of apps_, which does not move
  std::size_t others_ = 0;
};

}  // namespace framegov::sim

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

namespace framegov {

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

  [[nodiscard]] std::size_t count() const { return apps_.size(); }
  [[nodiscard]] FramePipeline& operator[](std::size_t app) { return apps_[app].pipeline; }
  /// The app's pipeline at full speed, to be told each of its frames.
  [[nodiscard]] FastestReference& fastest(std::size_t app) { return apps_[app].fastest; }

  struct Next {
    EventSlots::Next event;
    std::size_t app = 0;  ///< whose, if it is a pipeline's
  };
  /// The first of all events.
  [[nodiscard]] Next next() const {
    Next first{apps_.front().slots->next()};
    for (std::size_t app = 1; app < apps_.size(); ++app) {
      const EventSlots::Next own = apps_[app].slots->next();
      if (own.at < first.event.at || (own.at == first.event.at && own.slot < first.event.slot)) {
        first = {own, app};
      }
    }
    return first;
  }

  /// No app has a next frame.
  [[nodiscard]] bool exhausted() const {
    return std::all_of(apps_.begin(), apps_.end(),
                       [](const App& app) { return app.pipeline.exhausted(); });
  }
  /// Of the frame that comes first; only before any has begun.
  [[nodiscard]] double next_vsync() const;
  /// Frames begun so far.
  [[nodiscard]] std::uint64_t started() const { return phone_.begun; }
  [[nodiscard]] std::uint64_t dropped() const;

  // What FramePipeline says of one app, of all of them.
  [[nodiscard]] std::uint32_t tick(double now);
  void speed_changed(std::size_t cluster, double now) {
    for (App& app : apps_) {
      app.pipeline.speed_changed(cluster, now);
    }
  }
  void refresh_idle_cpus(double now) {
    for (App& app : apps_) {
      app.pipeline.refresh_idle_cpus(now);
    }
  }
  [[nodiscard]] std::uint32_t thread_clusters() const {
    std::uint32_t clusters = 0;
    for (const App& app : apps_) {
      clusters |= app.pipeline.thread_clusters();
    }
    return clusters;
  }
  [[nodiscard]] std::uint32_t running_clusters() const {
    std::uint32_t clusters = 0;
    for (const App& app : apps_) {
      clusters |= app.pipeline.running_clusters();
    }
    return clusters;
  }
  /// Apps' threads have CPUs of their own, but where the cluster has one.
  [[nodiscard]] double util(std::size_t cluster, double now) {
    double util = apps_.front().pipeline.util(cluster, now);
    for (std::size_t app = 1; app < apps_.size(); ++app) {
      const double own = apps_[app].pipeline.util(cluster, now);
      util = phone_.tables.single_cpu(cluster) ? util + own : std::max(util, own);
    }
    return util;
  }
  [[nodiscard]] double util_bound(std::size_t cluster) const {
    double bound = 0;
    for (const App& app : apps_) {
      bound += app.pipeline.util_bound(cluster);
    }
    return bound;
  }
  [[nodiscard]] PowerMeter::Threads threads_on(std::size_t cluster) const;

 private:
  struct App {
    EventSlots* slots;
    FramePipeline pipeline;
    FastestReference fastest;
  };

  FramePipeline::Phone phone_;
  std::vector<EventSlots> slots_;  ///< of all apps but the first
  std::vector<App> apps_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/workload_source.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/plant/interaction_boost.h"
#include "sim/workload/other_util.h"
#include "sim/workload/recorded_buffers.h"

namespace framegov::sim {

namespace {

constexpr double kFilled = 0.8;

double ns(Instant instant) { return static_cast<double>(to_ns(instant)); }
double ns(Duration duration) { return static_cast<double>(duration.count()); }

/// Indices ascending by `key`.
template <class Key>
std::vector<std::size_t> ranked(std::size_t count, Key key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

/// Which cluster of the phone stands for which of the recording.
class ClusterMap {
 public:
  ClusterMap(const Workload& workload, const DeviceTables& tables) : tables_(&tables) {
    const auto& from = workload.clusters;
    by_speed_ = ranked(tables.count, [&](std::size_t c) { return tables.clusters[c].capacity; });
    same_shape_ = from.size() == tables.count;
    const std::vector<std::size_t> order = ranked(from.size(), [&](std::size_t c) {
      return static_cast<double>(from[c].max_frequency.count()) * from[c].relative_per_mhz;
    });
    placement_.resize(from.size());
    const auto top = static_cast<double>(by_speed_.size() - 1);
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
      const double share = order.size() > 1
                               ? static_cast<double>(rank) / static_cast<double>(order.size() - 1)
                               : 1.0;
      placement_[order[rank]] = by_speed_[static_cast<std::size_t>(std::lround(share * top))];
    }
  }

  [[nodiscard]] std::int8_t of_stage(const StageLoad& stage) const {
    const auto cluster = static_cast<std::size_t>(stage.cluster);
    return static_cast<std::int8_t>(
        stage.cluster >= 0 && cluster < placement_.size() ? placement_[cluster] : tables_->fastest);
  }

  [[nodiscard]] std::size_t of_load(std::size_t recorded, const FittedLoad& load) const {
    if (same_shape_ && recorded < placement_.size()) {
      return placement_[recorded];
    }
    for (const std::size_t c : by_speed_) {
      const ClusterTable& table = tables_->clusters[c];
      if (load.busiest <= kFilled * table.capacity && load.total <= kFilled * throughput(c)) {
        return c;
      }
    }
    // Nowhere alone: where most of it can run.
    return *std::max_element(by_speed_.begin(), by_speed_.end(), [&](std::size_t a, std::size_t b) {
      return throughput(a) < throughput(b);
    });
  }

 private:
  [[nodiscard]] double throughput(std::size_t c) const {
    return tables_->clusters[c].capacity * static_cast<double>(tables_->clusters[c].cpu_count);
  }

  const DeviceTables* tables_;
  std::vector<std::size_t> by_speed_;   ///< slowest first
  std::vector<std::size_t> placement_;  ///< recorded cluster -> cluster
  bool same_shape_ = false;
};

/// How late the UI thread took the frame up, other than for the frame before, is the frame's own:
/// it slept until the vsync reached it, or was at something else. After a wait for the frame
/// before, that is what came between, and part of the stage.
void start_as_recorded(const WorkloadFrame& from, Instant free, Duration usual,
                       FittedFrame& frame) {
  if (!is_known(from.start) || from.start < from.vsync ||
      from.start - from.vsync > kLongestDispatch) {
    return;
  }
  if (free <= from.vsync + usual) {
    frame.dispatch = ns(from.start - from.vsync);
  } else {
    frame.ui_fixed += std::max(0.0, ns(from.start - free));
  }
}

StageWait wait_of(const StageLoad& stage) {
  return {static_cast<float>(stage.wait_ns), static_cast<float>(stage.wait_after) / 100};
}

/// The GPU draws one frame after the other: its time on this one begins when it was `free` of the
/// app's frame before, if the buffer was queued by then.
Duration gpu_time(const WorkloadFrame& from, Instant free) {
  const Duration waited =
      is_known(from.ready) ? std::max(Duration{}, free - (from.ready - from.gpu)) : Duration{};
  return std::max(Duration{}, from.gpu - waited);
}

/// A CPU that is its cluster's only one makes the UI thread wait while RenderThread draws the frame
/// before, and the plant does too: no time of a recorded stage that was this wait is its own.
class SharedCpu {
 public:
  explicit SharedCpu(const DeviceTables& tables) : tables_(&tables) {}

  /// From when on the UI thread may have run: `free`, or later.
  [[nodiscard]] Instant free_at(const WorkloadFrame& from, const FittedFrame& frame,
                                Instant free) const {
    const Drawn* const last = drawn_there(from, frame);
    return last != nullptr ? std::max(free, last->end) : free;
  }

  /// One of the two threads waited at any time that both were within a stage: takes that time out
  /// of `frame`, about to be the next of `frames`, and of the app's last one there.
  void take_out_waits(const WorkloadFrame& from, FittedFrame& frame,
                      std::vector<FittedFrame>& frames) const {
    const Drawn* const last = drawn_there(from, frame);
    if (last == nullptr || !is_known(from.start)) {
      return;
    }
    const Duration both = std::min(from.ui_done, last->end) - std::max(from.start, last->begin);
    double waited = std::max(0.0, ns(both));
    for (double* fixed : {&frame.ui_fixed, &frames[last->index].render_fixed}) {
      const double part = std::min(waited, *fixed);
      *fixed -= part;
      waited -= part;
    }
  }

  /// `from` has become `frame`, which is to have this index.
  void drew(const WorkloadFrame& from, const FittedFrame& frame, std::size_t index) {
    if (from.app >= drawn_.size()) {
      drawn_.resize(from.app + std::size_t{1});
    }
    const bool known = is_known(from.ui_done) && is_known(from.ready);
    drawn_[from.app] = {from.ui_done, from.ready - from.gpu, index, frame.render_cluster,
                        known ? from.render.cpu : std::int16_t{-1}};
  }

 private:
  struct Drawn {
    Instant begin, end;
    std::size_t index = 0;
    std::int8_t cluster = 0;
    std::int16_t cpu = -1;
  };

  /// The app's last frame where RenderThread drew it on the one CPU that `frame`'s UI thread has;
  /// else null.
  [[nodiscard]] const Drawn* drawn_there(const WorkloadFrame& from,
                                         const FittedFrame& frame) const {
    if (from.app >= drawn_.size()) {
      return nullptr;
    }
    const Drawn& last = drawn_[from.app];
    const bool there = last.cpu >= 0 && last.cpu == from.ui.cpu &&
                       last.cluster == frame.ui_cluster &&
                       tables_->single_cpu(static_cast<std::size_t>(frame.ui_cluster));
    return there ? &last : nullptr;
  }

  const DeviceTables* tables_;
  std::vector<Drawn> drawn_;  ///< by app: its last frame
};

/// Several apps' frames in the order in which they reach UI threads: one that is late with its
/// frame keeps no other app's waiting. An app's own stay in order.
void sort_by_start(std::vector<FittedFrame>& frames) {
  std::vector<double> reached;  // by app: when its last frame reached the UI thread
  std::vector<std::pair<double, std::size_t>> order;
  bool in_order = true;
  for (const FittedFrame& frame : frames) {
    if (frame.app >= reached.size()) {
      reached.resize(frame.app + std::size_t{1});
    }
    double& at = reached[frame.app];
    at = std::max(at, frame.vsync + frame.dispatch);
    in_order = in_order && (order.empty() || order.back().first <= at);
    order.emplace_back(at, order.size());
  }
  if (in_order) {
    return;
  }
  std::sort(order.begin(), order.end());
  std::vector<FittedFrame> sorted;
  sorted.reserve(frames.size());
  for (const auto& [at, index] : order) {
    sorted.push_back(frames[index]);
  }
  frames = std::move(sorted);
}

/// An app that paces itself has until its own next frame, however often the screen refreshes.
Duration own_pace(const WorkloadFrame& frame) {
  if (frame.deadline_edge != DeadlineEdge::kTargetRate) {
    return frame.interval;
  }
  return frame.pace > Duration::zero() ? frame.pace
                                       : std::max(frame.interval, frame.deadline - frame.vsync);
}

/// Games some of whose deadlines are those of the buffer that waited to be shown.
std::vector<bool> apps_with_spare(const Workload& workload) {
  std::vector<bool> spare(workload.apps.size());
  for (const WorkloadFrame& frame : workload.frames) {
    const Duration pace = own_pace(frame);
    if (frame.deadline - frame.vsync > pace + pace / 3) {
      spare[frame.app] = true;
    }
  }
  return spare;
}

StageThread seen_by_kernel(const AppThread& thread, const WorkloadFrame& frame) {
  return {1 + thread.beside, thread.on_big_cores, !frame.beside};
}

}  // namespace

FittedWorkload::FittedWorkload(const Workload& workload, const DeviceTables& tables,
                               DeadlineMode mode, Starts starts)
    : clusters(tables.count) {
  const double recorded = workload.reference.coremark_per_mhz;
  const double scale =
      recorded > 0 && tables.reference_coremark > 0 ? recorded / tables.reference_coremark : 1.0;
  const double share_per_hz = scale / tables.reference_hz;
  const double ns_per_work = share_per_hz * kNsPerSecond;
  const ClusterMap map(workload, tables);
  if (!workload.frames.empty()) {
    origin = ns(workload.frames.front().vsync) - kNsPerSecond;  // zero would mean "not known"
  }

  const std::vector<bool> spare = apps_with_spare(workload);
  UiThreads threads;
  SharedCpu shared_cpu(tables);
  frames.reserve(workload.frames.size());
  for (const WorkloadFrame& from : workload.frames) {
    FittedFrame frame;
    frame.vsync = ns(from.vsync) - origin;
    frame.interval = ns(from.interval);
    frame.latch_lag = ns(latch_lag(from));
    frame.buffers_ahead = ns(buffers_ahead(from));
    frame.taken_late = ns(from.taken_late * from.interval);
    frame.timestamped = from.timestamped;
    frame.beside = from.beside;
    frame.dispatch = ns(workload.dispatch);
    const double recorded_deadline = ns(from.deadline) - origin;
    frame.surface = from.deadline_edge == DeadlineEdge::kTargetRate;
    frame.spare = frame.surface && (mode == DeadlineMode::kBuffered ||
                                    (mode == DeadlineMode::kRecorded && spare[from.app]));
    frame.deadline = deadline_in(mode, frame.vsync, ns(own_pace(from)), recorded_deadline);
    frame.ui_work = from.ui.work.count() * ns_per_work;
    frame.ui_fixed = ns(from.ui.fixed);
    frame.ui_cluster = map.of_stage(from.ui);
    frame.render_cluster = map.of_stage(from.render);
    shared_cpu.take_out_waits(from, frame, frames);
    if (starts == Starts::kRecorded) {
      const Instant free = shared_cpu.free_at(from, frame, threads.free_at(from.app));
      start_as_recorded(from, free, workload.dispatch, frame);
    }
    frame.gpu = ns(gpu_time(from, threads.gpu_free_at(from.app)));
    threads.took(from);
    shared_cpu.drew(from, frame, frames.size());
    frame.render_work = from.render.work.count() * ns_per_work;
    frame.render_fixed = ns(from.render.fixed);
    frame.ui_wait = wait_of(from.ui);
    frame.render_wait = wait_of(from.render);
    frame.app = from.app;
    if (from.app < workload.apps.size()) {
      frame.ui_thread = seen_by_kernel(workload.apps[from.app].ui, from);
      frame.render_thread = seen_by_kernel(workload.apps[from.app].render, from);
    }
    frame.platform_deadline =
        mode == DeadlineMode::kRecorded && from.deadline_edge == DeadlineEdge::kPlatform;
    frames.push_back(frame);
    if (std::find(apps.begin(), apps.end(), from.app) == apps.end()) {
      apps.push_back(from.app);
    }
  }
  sort_by_start(frames);
  for (const Touch& touch : workload.touches) {
    touches.push_back(ns(touch.down) - origin);
    if (workload.boosts.empty()) {
      boosts.push_back({touches.back(), ns(touch.up) - origin + InteractionBoost::kHoldNs});
    }
  }
  for (const VendorBoost& boost : workload.boosts) {
    boosts.push_back({ns(boost.from) - origin, ns(boost.until) - origin});
  }
  const OtherLoadSeries& series = workload.other;
  first_window = ns(series.start) - origin;
  window = ns(series.window);
  windows = series.window_count() > 0 ? series.window_count() + 1 : 0;
  loads.resize(windows * clusters);
  for (std::size_t w = 0; w < series.window_count(); ++w) {
    for (std::size_t c = 0; c < series.clusters; ++c) {
      const OtherLoad& from = series.loads[w * series.clusters + c];
      const FittedLoad load{static_cast<double>(from.total) * share_per_hz,
                            static_cast<double>(from.busiest) * share_per_hz};
      FittedLoad& to = loads[w * clusters + map.of_load(c, load)];
      to.total += load.total;
      to.busiest = std::max(to.busiest, load.busiest);
    }
  }
  OtherUtil util;
  for (std::size_t w = 0; w < windows; ++w) {
    const double at = std::max(frames.empty() ? 0.0 : frames.front().vsync, window_begin(w));
    for (std::size_t c = 0; c < clusters; ++c) {
      FittedLoad& load = loads[w * clusters + c];
      load = util.next(c, load.total, load.busiest, tables.clusters[c].capacity, at);
    }
  }
}

bool WorkloadSource::next_frame(FittedFrame& frame) {
  if (next_frame_ >= workload_->frames.size()) {
    return false;
  }
  frame = workload_->frames[next_frame_++];
  return true;
}

bool WorkloadSource::next_frame_of(std::size_t app, FittedFrame& frame) {
  if (next_of_.size() <= 1) {
    return next_frame(frame);
  }
  const std::vector<FittedFrame>& frames = workload_->frames;
  std::size_t& next = next_of_[app];
  while (next < frames.size() && frames[next].app != workload_->apps[app]) {
    ++next;
  }
  if (next == frames.size()) {
    return false;
  }
  frame = frames[next++];
  return true;
}

bool WorkloadSource::next_touch(double& at) {
  if (next_touch_ >= workload_->touches.size()) {
    return false;
  }
  at = std::max(0.0, workload_->touches[next_touch_++]);
  return true;
}

bool WorkloadSource::next_boost(double& from, double& until) {
  if (next_boost_ >= workload_->boosts.size()) {
    return false;
  }
  from = workload_->boosts[next_boost_].from;
  until = workload_->boosts[next_boost_++].until;
  return true;
}

std::span<const FittedLoad> WorkloadSource::next_load(double& at) {
  if (next_window_ >= workload_->windows) {
    return {};
  }
  at = workload_->window_begin(next_window_);
  const std::size_t clusters = workload_->clusters;
  return {workload_->loads.data() + next_window_++ * clusters, clusters};
}

}  // namespace framegov::sim

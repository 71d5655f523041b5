// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sim/plant/base_governor.h"
#include "sim/plant/buffer_queue.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/game_clock.h"
#include "sim/plant/pipeline_frame.h"
#include "sim/plant/placement.h"
#include "sim/plant/thread_run.h"

namespace framegov::sim {

/// UI thread -> RenderThread -> GPU -> BufferQueue, as libhwui runs them.
///
/// The UI thread takes the oldest vsync that waits, works, then hands over to RenderThread and is
/// blocked until RenderThread is free to take it and has a buffer for it (syncAndDrawFrame; since
/// Android 10 CanvasContext::prepareTree reserves the buffer). RenderThread works and queues the
/// buffer; the GPU then runs frames one after another. Unless drop_late() is chosen frames are
/// never dropped: a slow policy has the same work to do as a fast one, later.
///
/// The pipeline only moves time along its own stages; handle() tells what has happened and the
/// plant draws the consequences.
class FramePipeline {
 public:
  /// What the pipelines of several apps share.
  struct Phone {
    const DeviceTables& tables;
    Placement& placement;
    const BaseGovernor& governor;
    FittedSource& source;
    std::uint64_t begun = 0;  ///< frames of all apps so far
  };
  /// The pipeline of the `app`-th of the source's apps.
  FramePipeline(Phone& phone, std::size_t app, EventSlots& slots);
  /// The phone sees its threads from now on: it must stay where it is.
  void join();

  /// Both threads' utilisation as a kernel with util_est tells it.
  void use_util_est(bool use) {
    ui_.use_estimate(use);
    render_.use_estimate(use);
  }

  /// As Android's Choreographer: a UI thread that is late takes the newest vsync, and the frames of
  /// those before it are never made.
  void drop_late(bool drop) { drop_late_ = drop; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

  struct Outcome {
    const PipelineFrame* started = nullptr;  ///< a frame has begun
    const PipelineFrame* drawn = nullptr;    ///< RenderThread has a buffer for one, and begun it
    const PipelineFrame* queued = nullptr;   ///< and has queued its buffer
    const PipelineFrame* ended = nullptr;    ///< a frame is complete
    std::uint32_t changed = 0;               ///< bit c: threads started or stopped on cluster c
  };
  /// One of the pipeline's own events. The frames pointed to stay until the next call.
  Outcome handle(PlantEvent event, double now);
  /// Another app's thread may have left a CPU that one of this app's waits for.
  Outcome resume(double now);

  /// A scheduler tick: threads that do not fit where they run may have to go on elsewhere. Returns
  /// the clusters (bits) that they left and came to.
  [[nodiscard]] std::uint32_t tick(double now);

  /// What the kernel is told of the threads from now on. One that runs where it may not any more
  /// goes on elsewhere at once. Returns the clusters (bits) that threads left and came to.
  [[nodiscard]] std::uint32_t hold(const ThreadHold& ui, const ThreadHold& render, double now);
  [[nodiscard]] bool clamps() const { return ui_.hold().clamps() || render_.hold().clamps(); }

  /// Cluster c runs at another speed from now on.
  void speed_changed(std::size_t cluster, double now);

  /// Brings the utilisation of idle CPUs up to now, as the kernel does now and then.
  void refresh_idle_cpus(double now) {
    ui_.refresh_cpu(now);
    render_.refresh_cpu(now);
  }
  /// Clusters that one of the threads ran on last.
  [[nodiscard]] std::uint32_t thread_clusters() const {
    return 1U << ui_.cluster() | 1U << render_.cluster();
  }
  /// Brings the utilisation of threads that run on `cluster` up to now and returns that of its
  /// busiest CPU, as schedutil reads it.
  [[nodiscard]] double util(std::size_t cluster, double now);
  /// Not below util() until a thread begins there; cheap.
  [[nodiscard]] double util_bound(std::size_t cluster) const;
  [[nodiscard]] const ThreadRun& ui() const { return ui_; }
  [[nodiscard]] const ThreadRun& render() const { return render_; }
  /// As util(), each run queue's within its clamps. A cluster's only CPU is not this pipeline's
  /// alone: its clamps are for who sums up.
  [[nodiscard]] double clamped_util(std::size_t cluster, double now);
  /// Of the threads that ran on `cluster` last: those that run, or all where none does, as an idle
  /// run queue keeps its last uclamp.max.
  void add_clamps(std::size_t cluster, bool only_running, QueueClamps& clamps) const;
  [[nodiscard]] std::uint32_t running_clusters() const;
  /// Idle time that ended when a thread began in the last handle(), and where.
  struct Gap {
    std::size_t cluster = 0;
    double ns = 0;
  };
  [[nodiscard]] std::span<const Gap> gaps() const { return {gaps_.data(), gap_count_}; }
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  /// Of the frame that comes next.
  [[nodiscard]] double next_vsync() const { return frames_[next_ % kInFlight].load.vsync; }

 private:
  static constexpr std::size_t kInFlight = 8;  ///< UI, RenderThread, and those in the GPU

  [[nodiscard]] PipelineFrame& frame(std::uint64_t index) { return frames_[index % kInFlight]; }
  void fetch();
  [[nodiscard]] bool next_frame(FittedFrame& frame);
  void take_newest(FittedFrame& waiting, double now);
  bool goes_on(ThreadRun& thread, PlantEvent end, Outcome& outcome, double now);
  void proceed(Outcome& outcome, double now);
  void hand_over(double now);
  void start_ui(Outcome& outcome, double now);
  void start_render(Outcome& outcome, double now);
  void queue_buffer(Outcome& outcome, double now);
  void end_frame(Outcome& outcome);
  void run(ThreadRun& thread, double work, double fixed, const StageWait& wait,
           Placement::Spot spot, double now);
  [[nodiscard]] bool share_cpu(std::size_t cluster) const {
    return tables_->single_cpu(cluster) ||
           (placement_->moves_threads() && ui_.cpu() == render_.cpu());
  }
  void move(ThreadRun& thread, PlantEvent end, Placement::Spot spot, double now);

  const DeviceTables* tables_;
  Placement* placement_;
  const BaseGovernor* governor_;
  FittedSource* source_;
  std::size_t app_;
  EventSlots* slots_;
  std::uint64_t* begun_;

  ThreadRun ui_;
  ThreadRun render_;
  BufferQueue buffers_;
  std::array<PipelineFrame, kInFlight> frames_{};
  std::uint64_t next_ = 0;       ///< frame that the UI thread takes next
  std::uint64_t to_render_ = 0;  ///< frame that RenderThread takes next
  std::uint64_t to_end_ = 0;     ///< oldest frame not complete
  double gpu_free_ = 0;
  GameClock game_;
  std::optional<FittedFrame> ahead_;  ///< read from the source, not yet fetched
  std::uint64_t dropped_ = 0;
  bool drop_late_ = false;
  bool arrived_ = false;       ///< the next frame's vsync has come
  bool exhausted_ = false;     ///< there is no next frame
  bool ui_blocked_ = false;    ///< done, waits for RenderThread or its buffer
  bool render_has_ = false;    ///< RenderThread has a frame, drawn or about to be
  std::array<Gap, 2> gaps_{};  ///< one for each thread
  std::size_t gap_count_ = 0;
};

}  // namespace framegov::sim

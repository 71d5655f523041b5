// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace framegov::sim {

/// The part of a stage's fixed time that comes in one piece; the rest is evenly mixed with the
/// work.
struct StageWait {
  float ns = 0;
  float after = 0;  ///< part of the stage that is done before, 0 to 1
};

/// How the kernel sees a stage's thread beside its frames.
struct StageThread {
  float load = 1;  ///< what it runs in all, over what it runs for frames
  bool on_big_cores = false;
  bool on_top = true;  ///< of the app on top, whose threads vendors boost
};

/// One frame as the plant runs it: instants and durations are ns, work is ns at the reference speed
/// of the simulated phone.
struct FittedFrame {
  double vsync = 0;
  double deadline = 0;
  double interval = 0;
  double buffers_ahead = 0;  ///< as BufferQueue::queue()
  double taken_late = 0;     ///< as its `late`
  double latch_lag = 0;      ///< from a vsync of the app's to the compositor's that shows buffers
  double dispatch = 0;       ///< from the vsync until its UI thread comes to it
  double ui_work = 0;
  double ui_fixed = 0;
  double render_work = 0;
  double render_fixed = 0;
  StageWait ui_wait;
  StageWait render_wait;
  StageThread ui_thread;
  StageThread render_thread;
  double gpu = 0;
  std::int8_t ui_cluster = 0;
  std::int8_t render_cluster = 0;
  std::uint32_t app = 0;
  bool platform_deadline = false;
  bool timestamped = false;  ///< as BufferQueue::queue()
  bool surface = false;      ///< known by its buffer alone, with no vsync of its own (games)
  bool spare = false;        ///< a game's: its deadline leaves it the buffer that waits to be shown
  bool beside = false;       ///< drawn beside the frames that govern: policies are not told of it

  /// The compositor takes its buffer a whole number of intervals after this, one at least.
  [[nodiscard]] double latch_grid() const { return vsync + latch_lag; }
};

/// What others run on one cluster, as shares of the reference speed.
struct FittedLoad {
  double total = 0;    ///< all its CPUs
  double busiest = 0;  ///< the busiest of them, at most its capacity
  double util = 0;     ///< its utilisation (PELT) when this load begins
};

/// What has to be done and when, in order of time: a recording or a generator. Everything is handed
/// out once; nothing is kept, so a long workload needs no more memory than a short one.
class FittedSource {
 public:
  FittedSource() = default;
  FittedSource(const FittedSource&) = delete;
  FittedSource& operator=(const FittedSource&) = delete;
  virtual ~FittedSource() = default;

  /// False at the end. Frames come in the order in which they reach UI threads; those of one app
  /// ascend by vsync.
  virtual bool next_frame(FittedFrame& frame) = 0;
  /// How many apps the frames are of; each has threads and buffers of its own.
  [[nodiscard]] virtual std::size_t apps() const { return 1; }
  /// As next_frame(), of one of the apps() alone. A run reads all frames in one way or the other.
  virtual bool next_frame_of(std::size_t /*app*/, FittedFrame& frame) { return next_frame(frame); }
  /// The next instant (ns) at which the screen is touched; false when there is none any more.
  virtual bool next_touch(double& at) = 0;
  /// The next time (ns) in which the vendor boosts the app on top; false when there is none any
  /// more.
  virtual bool next_boost(double& /*from*/, double& /*until*/) { return false; }
  /// What others run from `at` (ns) on, one for each cluster; empty when the last was the last.
  /// Valid until the call after the next.
  virtual std::span<const FittedLoad> next_load(double& at) = 0;
};

}  // namespace framegov::sim

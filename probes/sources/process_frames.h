// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "probes/frame_source.h"
#include "probes/games/game_surfaces.h"
#include "probes/sources/frame_info.h"
#include "probes/sources/gpu_times.h"

namespace framegov {

/// One hit of a probe.
struct ProbeHit {
  std::int32_t pid{};
  std::int32_t tid{};
  std::int16_t cpu = -1;
  Instant at;
};

/// A hit of a probe on a window's buffers.
struct BufferHit {
  ProbeHit hit;
  std::uint64_t surface{};
  bool render_thread{};  ///< the thread is libhwui's RenderThread (by its name)
};

struct AssemblySettings {
  SourceKind source = SourceKind::kBpfRingBuffer;
  /// What the device is known to refresh at; zero: learned from vsyncs. FrameInterval stands before
  /// both.
  Duration refresh_interval{};
  /// How long a frame waits for its buffer before it goes out without.
  Duration give_up = std::chrono::milliseconds{250};
  /// libhwui is probed where the UI thread hands over. Else a UI's frame is from its start to
  /// RenderThread's buffer.
  bool ui_records = true;
};

/// What the assembly of every process's frames goes by.
struct AssemblyContext {
  CpuTopology topology;
  AssemblySettings settings;
};

/// Refresh interval learned from the vsyncs of consecutive frames: the shortest step among the last
/// few. An app that draws at every other vsync makes it look twice as long, so anything that the
/// platform tells is better.
class RefreshIntervalEstimate {
 public:
  void observe(Instant vsync);
  /// Zero until two vsyncs are known.
  [[nodiscard]] Duration value() const { return value_; }

 private:
  Instant last_;
  std::array<Duration, 16> steps_{};
  std::size_t next_ = 0;
  Duration value_{};
};

/// Vsyncs learned from when a UI thread has received them, which is that moment or, while the
/// thread was busy, up to an interval later: the earliest of a grid count, the others move it
/// little.
class VsyncGrid {
 public:
  /// The vsync that was received at `start`. `interval`: zero while not known, then it is `start`.
  [[nodiscard]] Instant vsync_of(Instant start, Duration interval);

 private:
  Instant last_;
};

/// The frames of one process, put together from its probe hits. Rules:
///
/// - A UI record is a frame. Its buffer is the one that RenderThread (known by its name) queues
///   after having dequeued for it: a dequeue begins the newest UI record handed over before it, and
///   an older one that was never begun had nothing to draw. Or RenderThread was kept off its CPU in
///   between: then it draws the newest after that, before the UI thread hands over the next. So a
///   frame behind one without a buffer waits until either is seen. Where dequeueBuffer is not
///   probed, the oldest UI record gets the next buffer, and a record that RenderThread left alone
///   for half an interval had nothing to draw.
/// - The UI thread cannot hand over a frame before RenderThread is done with the one before the
///   last, so at a UI record everything but the newest waiting one is settled.
/// - Buffers of other threads in a process with UI records (video, camera) are other surfaces, not
///   frames. In a process without UI records for a second, they are a game's (see GameSurfaces): a
///   frame starts with the previous buffer, and again when it had to wait for its own. While a game
///   runs, UI records count only in a burst: a clock drawn over it now and then is no frame.
/// - When the GPU is done with a frame is told long after it has gone out, and goes with those that
///   follow (see GpuTimes).
/// - Without UI records at all (AssemblySettings::ui_records), a buffer of RenderThread belongs to
///   the main thread's newest start before it was dequeued: until RenderThread has taken a frame
///   over, the main thread waits for it. Where dequeueBuffer is not probed, to the oldest start
///   since RenderThread's last buffer.
class ProcessFrames {
 public:
  static constexpr std::size_t kMaxWaiting = 4;

  ProcessFrames() = default;
  explicit ProcessFrames(std::int32_t pid) : pid_(pid) {}

  [[nodiscard]] std::int32_t pid() const { return pid_; }
  [[nodiscard]] Instant last_used() const { return last_used_; }
  void use(Instant at) { last_used_ = at; }

  // Each appends at most kMaxWaiting + 1 events to `out`, which has room for them.
  void frame_start(const ProbeHit& hit, const AssemblyContext& context, FrameBatch& out);
  /// False, and nothing changes, when the process has handed over a frame at that time or later:
  /// two threads at once, or records of two CPUs in the wrong order.
  [[nodiscard]] bool frame_info(const ProbeHit& hit, const FrameInfoTimes& times, std::size_t size,
                                const AssemblyContext& context, FrameBatch& out);
  void dequeue_buffer(const BufferHit& buffer, Instant entered, const AssemblyContext& context,
                      FrameBatch& out);
  /// False, and nothing changes, when the surface has had a buffer at that time or later.
  [[nodiscard]] bool queue_buffer(const BufferHit& buffer, const AssemblyContext& context,
                                  FrameBatch& out);
  /// `fields`: Java's fields and the native ones behind them.
  void frame_finished(const ProbeHit& hit, std::span<const std::int64_t> fields);
  /// The app's own word for how long its frames may take; of a game only, a UI's frames have a
  /// deadline of the platform's.
  void hint_target(Duration target) { games_.tell_target(target); }
  /// Lets go of frames handed over at or before `handed_over`.
  void release(Instant handed_over, FrameBatch& out);

 private:
  static constexpr std::size_t kUiBurst = 4;
  struct Waiting {
    Frame frame;
    bool begun = false;     ///< RenderThread has dequeued for it
    bool queued = false;    ///< its buffer is out, but in doubt
    bool doubtful = false;  ///< its buffer may be that of the one before
  };

  void emit_first(std::size_t count, FrameBatch& out);
  [[nodiscard]] std::size_t count_handed_over(Instant by) const;
  std::size_t settle_before(std::size_t index, FrameBatch& out);
  static void take_buffer(Waiting& waiting, const BufferHit& buffer,
                          const AssemblyContext& context);
  void give_to_previous(std::size_t index, const AssemblyContext& context);
  void queue_waiting(const BufferHit& buffer, const AssemblyContext& context, FrameBatch& out);
  void start_unrecorded(const ProbeHit& hit, const AssemblyContext& context, FrameBatch& out);
  void queue_unrecorded(const BufferHit& buffer, const AssemblyContext& context, FrameBatch& out);
  void queue_game(const BufferHit& buffer, const AssemblyContext& context, FrameBatch& out);
  void start_game(const BufferHit& buffer, const AssemblyContext& context, FrameBatch& out);
  [[nodiscard]] bool has_ui(Instant at) const;
  [[nodiscard]] bool ui_matters(Instant at) const;

  std::int32_t pid_{};
  std::int32_t ui_tid_{};
  std::size_t info_size_{};
  Instant last_used_;
  Instant last_record_;                         ///< last UI record, of a frame or not
  Instant last_ui_;                             ///< last that is a frame's
  std::array<Instant, kUiBurst> ui_records_{};  ///< the last ones, a ring
  std::size_t next_ui_record_ = 0;
  Instant last_start_;         ///< last vsync event of the UI thread
  Instant last_render_queue_;  ///< last buffer of RenderThread
  bool render_dequeues_ = false;
  RefreshIntervalEstimate refresh_;
  VsyncGrid grid_;
  StaticVector<Instant, kMaxWaiting> starts_;   ///< of frames without UI records, ascending
  Instant render_dequeued_;                     ///< when RenderThread last asked for a buffer
  Duration render_blocked_{};                   ///< and how long it waited for it
  StaticVector<Waiting, kMaxWaiting> waiting_;  ///< ui_done ascends
  GpuTimes gpu_;
  GameSurfaces games_;
};

}  // namespace framegov

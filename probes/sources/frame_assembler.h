// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"
#include "base/static_vector.h"
#include "probes/frame_source.h"
#include "probes/sources/process_frames.h"

namespace framegov {

/// Probe hits of all processes -> frames (see ProcessFrames for the rules). Pure: no clock, no
/// allocation, no libbpf. Bounded: the process unused for longest gives way to a new one.
///
/// Each call appends at most kMaxEvents to `out`, which must have room for them; expire() stops
/// where `out` is full.
class FrameAssembler {
 public:
  static constexpr std::size_t kMaxProcesses = 32;
  /// Of a call: what it makes, and the waiting frames of a process that gives way.
  static constexpr std::size_t kMaxEvents = 2 * ProcessFrames::kMaxWaiting + 1;

  FrameAssembler(const CpuTopology& topology, const AssemblySettings& settings)
      : context_{topology, settings} {}

  void frame_start(const ProbeHit& hit, FrameBatch& out);
  /// `fields`: as many as libhwui asked for. What cannot be true is counted and left out.
  void frame_info(const ProbeHit& hit, std::span<const std::int64_t> fields, FrameBatch& out);
  /// `buffer.hit` is the return of dequeueBuffer.
  void dequeue_buffer(const BufferHit& buffer, Instant entered, FrameBatch& out);
  void queue_buffer(const BufferHit& buffer, FrameBatch& out);
  /// `fields`: Java's fields and the native ones behind them. Makes no frame.
  void frame_finished(const ProbeHit& hit, std::span<const std::int64_t> fields);

  /// The app says that a frame's work may take so long. What no display shows is counted and left
  /// out; what its frames do not bear out is not believed (TargetRate).
  void hint_target(const ProbeHit& hit, Duration target, FrameBatch& out);

  /// Lets frames go whose buffer has not come for AssemblySettings::give_up.
  void expire(Instant now, FrameBatch& out);
  /// The process has ended: its frames are dropped.
  void forget(std::int32_t pid);
  /// Zero: learn it.
  void set_refresh_interval(Duration interval) { context_.settings.refresh_interval = interval; }

  /// Frames appended so far.
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  /// Hits that could not be true, or came too late for their process's order.
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }

 private:
  [[nodiscard]] bool refuses(Instant at);
  ProcessFrames& process(const ProbeHit& hit, FrameBatch& out);
  ProcessFrames* find(std::int32_t pid);

  AssemblyContext context_;
  StaticVector<ProcessFrames, kMaxProcesses> processes_;
  std::uint64_t frames_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace_events.h"

namespace framegov {

/// Takes what a decoder finds, in the order of the file: not sorted by time. Override what is of
/// interest.
class TraceSink {
 public:
  TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
  virtual ~TraceSink() = default;

  /// True when it takes no more: reading stops with an error.
  [[nodiscard]] virtual bool is_full() const { return false; }

  virtual void on_switch(const SchedSwitch& /*event*/) {}
  virtual void on_waking(std::int64_t /*at*/, std::int32_t /*tid*/) {}
  virtual void on_cpu_frequency(const CpuFrequencySample& /*sample*/) {}
  /// The same, but polled (SysStats) rather than told at the change.
  virtual void on_polled_frequency(const CpuFrequencySample& /*sample*/) {}
  /// No lower frequency is allowed from now on (cpu_frequency_limits).
  virtual void on_cpu_minimum(const CpuFrequencySample& /*minimum*/) {}
  virtual void on_cpu_idle(std::int64_t /*at*/, std::int32_t /*cpu*/, std::uint32_t /*state*/) {}
  virtual void on_gpu_frequency(std::int64_t /*at*/, std::uint32_t /*gpu*/, std::uint32_t /*khz*/) {
  }
  virtual void on_print(const PrintLine& /*line*/) {}
  /// Events of `cpu` are missing before the one that comes next.
  virtual void on_lost_events(std::int32_t /*cpu*/, std::uint64_t /*count*/) {}
  /// Nothing of `cpu` is missing from `at` until the events that come next.
  virtual void on_complete_since(std::int32_t /*cpu*/, std::int64_t /*at*/) {}
  /// What ftrace recorded first has been overwritten: each CPU's events begin at a time of their
  /// own.
  virtual void on_overwritten() {}
  /// At the end, if there are any.
  virtual void on_left_out(const LeftOutPackets& /*packets*/) {}
  virtual void on_thread(const ThreadInfo& /*thread*/) {}
  virtual void on_frame_timeline(const FrameTimelineEvent& /*event*/) {}
  virtual void on_power_rail(const PowerRail& /*rail*/) {}
  virtual void on_energy(const EnergySample& /*sample*/) {}
  virtual void on_package(std::string_view /*name*/, std::uint64_t /*uid*/) {}
  virtual void on_device(const DeviceInfo& /*device*/) {}
  virtual void on_cpu(const CpuDescription& /*cpu*/) {}
  virtual void on_track(const TrackInfo& /*track*/) {}
  virtual void on_track_event(const TrackEvent& /*event*/) {}
};

}  // namespace framegov

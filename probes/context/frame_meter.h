// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/time.h"
#include "probes/context/cycle_counter.h"
#include "probes/context/frequency_meter.h"
#include "probes/context/thread_clock.h"

namespace framegov {

/// Adds to frames what the probes do not see: the CPU time of the UI thread and of the thread that
/// queued the buffer, and the mean frequency: that at which these threads ran where a PMU counts
/// their cycles, else that of the cluster. Read when the service has just woken for the event
/// (see docs/decisions/cpu-time.md), so each value is as late as the wakeup; as both ends are, the
/// lateness cancels over frames. Bounded; allocates nothing.
class FrameMeter {
 public:
  FrameMeter(const CpuTopology& topology, const std::filesystem::path& cpu_root,
             const CycleEvents& cycles = {})
      : frequencies_(topology, cpu_root), cycle_events_(cycles) {}

  void on_start(const FrameStart& start, Instant now);
  /// Fills ui_cpu_time, render_cpu_time and frequency where they are known.
  void on_frame(Frame& frame, Instant now);

  [[nodiscard]] const FrequencyMeter& frequencies() const { return frequencies_; }

 private:
  static constexpr std::size_t kProcesses = 8;
  static constexpr std::size_t kStarts = 4;  ///< frames of one process in flight

  /// What a thread has used since some moment that stays the same.
  struct Use {
    Duration time{};
    CycleCount cycles;
  };
  struct Thread {
    ThreadClock clock;
    CycleCounter counter;
    [[nodiscard]] Use read() const { return {clock.read(), counter.read()}; }
  };
  struct Start {
    Instant at;
    Use ui;
    FrequencyMark frequency;
    std::int8_t cluster = -1;
  };
  struct Process {
    std::int32_t pid{};
    Instant used;
    Thread ui;
    Thread render;
    Use render_seen;      ///< at the last frame's end
    bool render_known{};  ///< render_seen is of this thread
    std::array<Start, kStarts> starts{};
    std::size_t next_start = 0;
    FrequencyMark last_end;
    std::int8_t last_cluster = -1;
  };

  Process& process(std::int32_t pid, Instant now);
  /// None where it is not one of the process's: an app's own word may name it.
  [[nodiscard]] Thread thread(std::int32_t pid, std::int32_t tid) const;
  /// Both return the cycles of the thread in this frame.
  CycleCount measure_ui(Process& process, Frame& frame);
  CycleCount measure_render(Process& process, Frame& frame);
  void measure_frequency(Process& process, Frame& frame, Instant now);
  static const Start* start_of(const Process& process, const Frame& frame);

  FrequencyMeter frequencies_;
  CycleEvents cycle_events_;
  std::array<Process, kProcesses> processes_;
};

}  // namespace framegov

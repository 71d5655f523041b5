// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "sim/plant/generation_histogram.h"
#include "sim/plant/others_delay.h"

namespace framegov::sim {

/// What became of one run.
struct PlantTotals {
  std::uint64_t frames = 0;
  std::uint64_t feasible = 0;  ///< deadlines that the fastest cluster at its top would meet
  std::uint64_t missed = 0;    ///< feasible deadlines that frames did not meet by themselves
  std::uint64_t late = 0;      ///< all that were not met, `stuffed` ones with them
  std::uint64_t stuffed = 0;   ///< of `late`: for a full queue alone (PipelineFrame::stuffed())
  std::uint64_t janky = 0;     ///< late and shown at a later vsync because of it
  std::uint64_t dropped = 0;   ///< never made (PlantSettings::drop_late); not among `frames`
  std::uint64_t writes = 0;    ///< to sysfs
  std::uint64_t thread_writes = 0;  ///< system calls that steer a thread
  std::uint64_t wakeups = 0;
  std::uint64_t transitions = 0;
  double seconds = 0;
  std::vector<double> cluster_mj;
  double frames_mj = 0;  ///< of `cluster_mj`: the frames' threads (PowerMeter::frames_mj)
  double shared_mj = 0;
  double service_mj = 0;  ///< the policy's own wakeups and writes
  GenerationHistogram generation;
  GenerationHistogram busy;  ///< the same without waiting for buffers (Frame::busy_time())
  OthersDelay::Totals others;

  [[nodiscard]] double energy_mj() const {
    return std::accumulate(cluster_mj.begin(), cluster_mj.end(), shared_mj + service_mj);
  }
  /// mW; 0 of a run that took no time.
  [[nodiscard]] double mean_power() const { return seconds > 0 ? energy_mj() / seconds : 0.0; }
  /// Of the clusters' energy what others took.
  [[nodiscard]] double others_mj() const {
    return energy_mj() - frames_mj - shared_mj - service_mj;
  }
  /// Missed of feasible deadlines, 0 to 1; 0 where none was feasible.
  [[nodiscard]] double miss_rate() const {
    return feasible > 0 ? static_cast<double>(missed) / static_cast<double>(feasible) : 0.0;
  }
};

}  // namespace framegov::sim

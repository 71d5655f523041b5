// SPDX-License-Identifier: Apache-2.0
#include "governor/control/frame_statistics.h"

#include <algorithm>
#include <vector>

namespace framegov {

namespace {

constexpr Duration kSecond = std::chrono::seconds{1};

std::size_t bin_of(const FrameRecord& frame) {
  if (frame.budget <= Duration{} || frame.generation <= Duration{}) {
    return 0;
  }
  const auto width =
      frame.budget / static_cast<int>(FrameStatistics::kBinsToDeadline) + Duration{1};
  return std::min(static_cast<std::size_t>(frame.generation / width), FrameStatistics::kBins - 1);
}

Duration quantile(const std::vector<Duration>& sorted, double q) {
  return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

FrameStatistics frame_statistics(std::span<const FrameRecord> frames, Instant now,
                                 Duration window) {
  FrameStatistics statistics;
  std::vector<Duration> times;
  double energy_mj = 0;
  std::size_t recent = 0;
  for (const FrameRecord& frame : frames) {
    if (frame.app != frames.back().app || frame.ready + window < now) {
      continue;
    }
    times.push_back(frame.generation);
    statistics.misses += frame.late() ? 1U : 0U;
    ++statistics.histogram[bin_of(frame)];
    if (frame.ready + kSecond >= now) {
      ++recent;
      energy_mj += frame.energy.count();
    }
  }
  if (times.empty()) {
    return statistics;
  }
  std::sort(times.begin(), times.end());
  statistics.frames = times.size();
  statistics.fps = static_cast<double>(recent);
  statistics.power_mw = energy_mj / to_seconds(kSecond);
  statistics.budget = frames.back().budget;
  statistics.gpu_time = frames.back().gpu_time;
  statistics.gpu_bound = frames.back().gpu_bound;
  statistics.p50 = quantile(times, 0.5);
  statistics.p95 = quantile(times, 0.95);
  statistics.longest = times.back();
  return statistics;
}

}  // namespace framegov

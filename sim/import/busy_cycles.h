// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/import/cpu_speed.h"
#include "sim/import/slices.h"
#include "sim/import/trace_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Busy reference cycles per window and CPU, from which frames take theirs.
class BusyCycles {
 public:
  BusyCycles(const TraceModel& model, const CpuSpeed& speed)
      : speed_(speed), cpus_(model.cpu.switches.size()) {
    constexpr std::size_t kMaxCells = std::size_t{8} << 20U;
    constexpr std::size_t kMaxWindowsPerSwitch = 64;
    std::size_t switch_count = 1;
    std::int64_t last = 0;
    first_ = std::numeric_limits<std::int64_t>::max();
    for (const std::vector<CpuSwitch>& switches : model.cpu.switches) {
      if (!switches.empty()) {
        first_ = std::min(first_, switches.front().at);
        last = std::max(last, switches.back().at);
        switch_count += switches.size();
      }
    }
    const std::int64_t span = last > first_ ? last - first_ : 1;
    // Wider windows for a recording of days, and for one whose times are damage.
    const auto most = static_cast<std::int64_t>(
        std::min(kMaxCells / std::max<std::size_t>(cpus_, 1), switch_count * kMaxWindowsPerSwitch));
    window_ = std::max(kWindowNs, span / most + 1);
    cells_.resize(static_cast<std::size_t>(span / window_ + 1) * cpus_);
  }

  void add(const Run& run, float sign) {
    for (std::int64_t begin = run.begin; begin < run.end;) {
      const std::int64_t index = (begin - first_) / window_;
      const std::int64_t end = std::min(run.end, first_ + (index + 1) * window_);
      cells_[static_cast<std::size_t>(index) * cpus_ + static_cast<std::size_t>(run.cpu)] +=
          sign * static_cast<float>(speed_.cycles(run.cpu, begin, end));
      begin = end;
    }
  }

  [[nodiscard]] OtherLoadSeries series() const {
    OtherLoadSeries series;
    series.start = instant_from_ns(first_);
    series.window = Duration{window_};
    series.clusters = speed_.clusters().size();
    const auto per_second = static_cast<float>(1e9 / static_cast<double>(window_));
    series.loads.resize(cpus_ == 0 ? 0 : cells_.size() / cpus_ * series.clusters);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      const int cluster = speed_.cluster_of(static_cast<int>(cell % cpus_));
      if (cluster < 0) {
        continue;
      }
      OtherLoad& load =
          series.loads[cell / cpus_ * series.clusters + static_cast<std::size_t>(cluster)];
      const float rate = std::max(0.0F, cells_[cell]) * per_second;
      load.total += rate;
      load.busiest = std::max(load.busiest, rate);
    }
    return series;
  }

 private:
  static constexpr std::int64_t kWindowNs = 10'000'000;

  const CpuSpeed& speed_;
  std::int64_t first_{};
  std::int64_t window_{};
  std::size_t cpus_;
  std::vector<float> cells_;
};

}  // namespace framegov::sim

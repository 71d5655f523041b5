// SPDX-License-Identifier: Apache-2.0
#include "sim/import/core_worth.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "base/median.h"
#include "sim/import/slices.h"
#include "sim/import/workload_from_trace.h"

namespace framegov::sim {

namespace {

/// A stage's cycles, uncorrected, and the cluster it ran on.
struct StageCycles {
  std::size_t cluster{};
  double cycles{};
};

/// Nothing where it ran on several clusters, or its speed is not known.
std::optional<StageCycles> cycles_of(const ThreadRuns& runs, const CpuSpeed& speed,
                                     std::int32_t tid, std::int64_t begin, std::int64_t end) {
  constexpr double kMostly = 0.9;
  std::array<double, kMaxClusters> cycles{};
  double all = 0;
  bool known = true;
  runs.within(tid, begin, end, [&](const Run& run) {
    known = known && speed.knows(run.cpu);
    if (known) {
      const auto cluster = static_cast<std::size_t>(speed.cluster_of(run.cpu));
      const double own =
          speed.cycles(run.cpu, run.begin, run.end) / speed.clusters()[cluster].relative_per_mhz;
      cycles[cluster] += own;
      all += own;
    }
  });
  const auto most = std::max_element(cycles.begin(), cycles.end());
  if (!known || all <= 0 || *most < kMostly * all) {
    return std::nullopt;
  }
  return StageCycles{static_cast<std::size_t>(most - cycles.begin()), all};
}

/// Logarithms of how many times the cycles of the first cluster the second took, of pairs of a
/// thread's frames in a row.
using Ratios = std::map<std::pair<std::size_t, std::size_t>, std::vector<double>>;

void add_pairs(const std::vector<std::optional<StageCycles>>& stages, Ratios& ratios) {
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const auto& a = stages[i - 1];
    const auto& b = stages[i];
    if (a && b && a->cluster < b->cluster) {
      ratios[{a->cluster, b->cluster}].push_back(std::log(b->cycles / a->cycles));
    } else if (a && b && a->cluster > b->cluster) {
      ratios[{b->cluster, a->cluster}].push_back(std::log(a->cycles / b->cycles));
    }
  }
}

/// Their median, where it is known well enough.
std::optional<double> sure_median(const std::vector<double>& values) {
  constexpr std::size_t kFewest = 12;
  constexpr double kMostError = 0.15;  // of the median, one standard deviation
  if (values.size() < kFewest) {
    return std::nullopt;
  }
  const double middle = median(std::vector<double>(values));
  std::vector<double> off;
  for (const double value : values) {
    off.push_back(std::abs(value - middle));
  }
  // Of a normal distribution: deviation is 1.48 x the median of the differences, a median's error
  // 1.25 x the mean's.
  const double error =
      1.25 * 1.48 * median(std::move(off)) / std::sqrt(static_cast<double>(values.size()));
  return error <= kMostError ? std::optional(middle) : std::nullopt;
}

}  // namespace

std::optional<std::vector<double>> estimate_core_worth(const TraceModel& model,
                                                       const FrameFinding& finding,
                                                       const CpuSpeed& speed) {
  const std::vector<WorkloadCluster>& clusters = speed.clusters();
  const ThreadRuns runs = thread_runs(model, frame_threads(finding));
  Ratios ratios;
  std::vector<std::size_t> stage_counts(clusters.size());
  for (const AppFrames& app : finding.apps) {
    std::map<std::int32_t, std::vector<std::optional<StageCycles>>> ui, render;
    for (const TraceFrame& frame : app.frames) {
      if (frame.ui_tid != 0) {
        ui[frame.ui_tid].push_back(
            cycles_of(runs, speed, frame.ui_tid, frame.start, frame.ui_done));
      }
      if (frame.render_tid != 0) {
        render[frame.render_tid].push_back(
            cycles_of(runs, speed, frame.render_tid, frame.ui_done, frame.queued));
      }
    }
    for (const auto* threads : {&ui, &render}) {
      for (const auto& [tid, stages] : *threads) {
        add_pairs(stages, ratios);
        for (const auto& stage : stages) {
          if (stage) {
            ++stage_counts[stage->cluster];
          }
        }
      }
    }
  }
  // From the cluster that most ran on to whatever pairs lead to.
  std::vector<std::optional<double>> logs(clusters.size());
  const auto first = std::max_element(stage_counts.begin(), stage_counts.end());
  logs.at(static_cast<std::size_t>(first - stage_counts.begin())) = 0;
  for (std::size_t round = 0; round < clusters.size(); ++round) {
    for (const auto& [pair, values] : ratios) {
      const auto& [a, b] = pair;
      const std::optional<double> middle = logs[a] || logs[b] ? sure_median(values) : std::nullopt;
      if (middle && logs[a] && !logs[b]) {
        logs[b] = *logs[a] - *middle;
      } else if (middle && logs[b] && !logs[a]) {
        logs[a] = *logs[b] + *middle;
      }
    }
  }
  const auto known = std::count_if(logs.begin(), logs.end(), [](const auto& log) { return !!log; });
  if (known < 2) {
    return std::nullopt;  // nothing to compare with
  }
  constexpr double kSeldom = 0.05;
  const auto stages =
      static_cast<double>(std::accumulate(stage_counts.begin(), stage_counts.end(), std::size_t{}));
  std::vector<double> worth(clusters.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (!logs[i] && static_cast<double>(stage_counts[i]) > kSeldom * stages) {
      return std::nullopt;
    }
    std::size_t nearest = i;
    for (std::size_t k = 0; !logs[i] && k < clusters.size(); ++k) {
      const auto distance = [&](std::size_t of) {
        return std::abs((clusters[of].max_frequency.count() - clusters[i].max_frequency.count()));
      };
      nearest = logs[k] && (!logs[nearest] || distance(k) < distance(nearest)) ? k : nearest;
    }
    worth[i] = std::exp(*logs[nearest]);
  }
  // No phone has cores further apart than these.
  constexpr double kFurthestApart = 6;
  const auto [least, most] = std::minmax_element(worth.begin(), worth.end());
  return *most <= kFurthestApart * *least ? std::optional(std::move(worth)) : std::nullopt;
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "config/cluster_selector.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace framegov {

namespace {

constexpr std::string_view kCluster = "cluster";
constexpr std::string_view kPolicy = "policy";
constexpr std::array<std::string_view, 4> kWords = {"all", "little", "mid", "big"};

/// N of "prefixN"; nothing when the name is another.
std::optional<int> numbered(std::string_view name, std::string_view prefix) {
  constexpr int kHighest = 255;
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  int number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  const bool whole = error == std::errc{} && end == name.data() + name.size();
  return whole && number >= 0 && number <= kHighest ? std::optional(number) : std::nullopt;
}

/// How exact a selector is.
int exactness(std::string_view name) {
  if (numbered(name, kPolicy)) {
    return 3;
  }
  if (numbered(name, kCluster)) {
    return 2;
  }
  return name == "all" ? 0 : 1;
}

bool is_selected(std::string_view name, const CpuTopology& topology, std::size_t index) {
  if (const auto number = numbered(name, kPolicy)) {
    return topology.clusters[index].cpufreq_id == *number;
  }
  if (const auto number = numbered(name, kCluster)) {
    return static_cast<int>(index) == *number;
  }
  const auto slower = [](const Cluster& a, const Cluster& b) {
    return a.max_speed() < b.max_speed();
  };
  const auto [slowest, fastest] =
      std::minmax_element(topology.clusters.begin(), topology.clusters.end(), slower);
  const bool above_slowest = slower(*slowest, topology.clusters[index]);
  const bool below_fastest = slower(topology.clusters[index], *fastest);
  return name == "all" || (name == "big" && !below_fastest) ||
         (name == "little" && below_fastest && !above_slowest) ||
         (name == "mid" && below_fastest && above_slowest);
}

/// The most exact of `limits` for each cluster.
std::array<Frequency, kMaxClusters> resolve(const FrequencyLimits& limits,
                                            const CpuTopology& topology) {
  std::array<Frequency, kMaxClusters> resolved{};
  std::array<int, kMaxClusters> exactness_of{};
  exactness_of.fill(-1);
  for (const auto& [name, limit] : limits) {
    for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
      if (is_selected(name, topology, i) && exactness(name) > exactness_of[i]) {
        exactness_of[i] = exactness(name);
        resolved[i] = limit.value.on(topology.clusters[i].max_frequency());
      }
    }
  }
  return resolved;
}

}  // namespace

bool is_cluster_selector(std::string_view name) {
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end() ||
         numbered(name, kCluster) || numbered(name, kPolicy);
}

ClusterBounds cluster_bounds(const FrequencyLimits& ceilings, const FrequencyLimits& floors,
                             const CpuTopology& topology) {
  const auto caps = resolve(ceilings, topology);
  const auto lows = resolve(floors, topology);
  ClusterBounds bounds;
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    // Between two operating points a floor means the upper one: a cap raised to the floor itself
    // would end at the lower.
    const Frequency floor =
        lows[i].count() > 0 ? cluster.opps[cluster.opp_at_least(lows[i])].frequency : Frequency{};
    const bool crossed = caps[i].count() > 0 && floor > caps[i];
    bounds.push_back({caps[i], crossed ? caps[i] : floor});
  }
  return bounds;
}

}  // namespace framegov

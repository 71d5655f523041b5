// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/device_difference.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"
#include "base/text.h"
#include "base/yaml/load_yaml.h"

namespace framegov::sim {

namespace {

double khz_of(const DeviceOpp& opp) { return static_cast<double>(opp.frequency.count()); }

/// Null: no cluster of those CPUs.
const DeviceCluster* cluster_of(const DeviceModel& device, std::uint64_t cpus) {
  const auto found = std::find_if(device.clusters.begin(), device.clusters.end(),
                                  [&](const DeviceCluster& each) { return each.cpus == cpus; });
  return found == device.clusters.end() ? nullptr : &*found;
}

/// Nothing beyond the cluster's frequencies.
std::optional<Power> busy_power_at(const DeviceCluster& cluster, double khz) {
  const auto& opps = cluster.opps;
  const auto above = std::find_if(opps.begin(), opps.end(),
                                  [khz](const DeviceOpp& opp) { return khz_of(opp) >= khz; });
  if (above == opps.end() || (above == opps.begin() && khz_of(*above) > khz)) {
    return std::nullopt;
  }
  if (khz_of(*above) == khz) {
    return above->busy();
  }
  const DeviceOpp& below = *std::prev(above);
  const double part = (khz - khz_of(below)) / (khz_of(*above) - khz_of(below));
  return Power{(1 - part) * below.busy().count() + part * above->busy().count()};
}

std::size_t shared_frequencies(const DeviceModel& device, const DeviceModel& other) {
  std::size_t shared = 0;
  for (const DeviceCluster& cluster : device.clusters) {
    const auto& opps = cluster_of(other, cluster.cpus)->opps;
    shared += static_cast<std::size_t>(
        std::count_if(cluster.opps.begin(), cluster.opps.end(), [&](const DeviceOpp& own) {
          return std::any_of(opps.begin(), opps.end(),
                             [&](const DeviceOpp& its) { return its.frequency == own.frequency; });
        }));
  }
  return shared;
}

}  // namespace

Result<std::vector<std::vector<PowerInterval>>> busy_intervals(const std::string& yaml,
                                                               const std::string& name,
                                                               const DeviceModel& device) {
  std::vector<std::vector<PowerInterval>> result(device.clusters.size());
  const auto bad = [&name](const YAML::Mark& mark, const std::string& what) {
    return fail(ExitCode::kBadInput, name + ":" + std::to_string(mark.line + 1) + ": " + what,
                "docs/devices.md describes the format");
  };
  try {
    for (const YAML::Node& node : load_yaml(yaml).value_or(YAML::Node())["clusters"]) {
      const YAML::Node rows = node["busy_interval_mw"];
      if (!rows) {
        continue;
      }
      const auto cluster = std::find_if(
          device.clusters.begin(), device.clusters.end(),
          [&](const DeviceCluster& each) { return each.cpufreq_id == node["policy"].as<int>(); });
      if (cluster == device.clusters.end() || !rows.IsSequence() ||
          rows.size() != cluster->opps.size()) {
        return bad(rows.Mark(), "busy_interval_mw needs a row for each OPP");
      }
      auto& intervals = result[static_cast<std::size_t>(cluster - device.clusters.begin())];
      for (const YAML::Node& row : rows) {
        const auto ends = row.as<std::vector<double>>();
        constexpr double kMostMw = 1e5;
        if (ends.size() != 2 || !(ends[0] >= 0 && ends[0] <= ends[1] && ends[1] <= kMostMw)) {
          return bad(row.Mark(), "an interval is [low mW, high mW]");
        }
        intervals.push_back({Power{ends[0]}, Power{ends[1]}});
      }
    }
  } catch (const YAML::Exception& error) {
    return bad(error.mark, printable(error.msg));
  }
  return result;
}

std::vector<OppDifference> differences(const DeviceModel& device,
                                       const std::vector<std::vector<PowerInterval>>& intervals,
                                       const DeviceModel& other) {
  std::vector<OppDifference> result;
  for (std::size_t c = 0; c < device.clusters.size(); ++c) {
    const DeviceCluster& cluster = device.clusters[c];
    const DeviceCluster* const its = cluster_of(other, cluster.cpus);
    for (std::size_t i = 0; its != nullptr && i < cluster.opps.size(); ++i) {
      const DeviceOpp& opp = cluster.opps[i];
      const auto power = busy_power_at(*its, khz_of(opp));
      if (!power || power->count() <= 0) {
        continue;
      }
      OppDifference difference{cluster.cpufreq_id, opp.frequency, opp.busy(), *power, {}};
      if (c < intervals.size() && i < intervals[c].size()) {
        const PowerInterval& interval = intervals[c][i];
        difference.within_interval = interval.low <= *power && *power <= interval.high;
      }
      result.push_back(difference);
    }
  }
  return result;
}

double median_difference(std::span<const OppDifference> differences) {
  std::vector<double> sizes;
  for (const OppDifference& each : differences) {
    sizes.push_back(std::abs(each.relative()));
  }
  return sizes.empty() ? 0 : median(std::move(sizes));
}

const DeviceModel* most_alike(const DeviceModel& device, std::span<const DeviceModel> all) {
  const DeviceModel* best = nullptr;
  std::size_t most = 0;
  for (const DeviceModel& each : all) {
    const bool same_cpus =
        each.clusters.size() == device.clusters.size() &&
        std::all_of(device.clusters.begin(), device.clusters.end(), [&](const DeviceCluster& own) {
          return cluster_of(each, own.cpus) != nullptr;
        });
    if (!same_cpus) {
      continue;
    }
    const std::size_t shared = shared_frequencies(device, each);
    if (best == nullptr || shared > most) {
      best = &each;
      most = shared;
    }
  }
  return best;
}

}  // namespace framegov::sim

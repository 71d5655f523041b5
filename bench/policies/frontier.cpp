// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/frontier.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "bench/policies/bar_table.h"
#include "policy/bounded_policy.h"

namespace framegov {

namespace {

struct Setting {
  double eps;
  double margin = 0;
  double ceiling = 1;  ///< of every cluster, as a part of its top speed
};

/// What an owner can ask for: eps, below the least of it the margin, and ceilings.
std::vector<Setting> sweep() {
  std::vector<Setting> settings;
  for (const double margin : {0.4, 0.3, 0.2, 0.1}) {
    settings.push_back({.eps = 0.0001, .margin = margin});
  }
  for (const double eps :
       {0.0001, 0.0003, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2}) {
    settings.push_back({.eps = eps});
  }
  for (const double ceiling : {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}) {
    settings.push_back({.eps = 0.001, .ceiling = ceiling});
    settings.push_back({.eps = 0.05, .ceiling = ceiling});
    settings.push_back({.eps = 0.2, .ceiling = ceiling});
  }
  return settings;
}

constexpr std::size_t kWorst = 6;

struct Point {
  double missed;
  double energy;
};

Point point_of(const PlantTotals& run) {
  return {
      run.feasible > 0 ? static_cast<double>(run.missed) / static_cast<double>(run.feasible) : 0,
      run.energy_mj()};
}

/// mpc as a profile with ceilings has it.
PolicyEntry under_ceiling(double part) {
  PolicyEntry entry = **find_policy("mpc");
  if (part < 1) {
    entry.make = [make = entry.make, part](const CpuTopology& topology,
                                           const PolicySettings& settings) {
      PolicyBounds bounds;
      for (const Cluster& cluster : topology.clusters) {
        const std::size_t above = cluster.opp_at_least(cluster.max_speed() * part);
        bounds.clusters.push_back({.ceiling = cluster.opps[above].frequency, .floor = {}});
      }
      return std::make_unique<BoundedPolicy>(make(topology, settings), bounds);
    };
  }
  return entry;
}

struct Loss {
  double ratio;
  std::string text;
};

}  // namespace

Frontier sweep_frontier(const RunTable& table, const std::vector<std::string>& rivals,
                        const ReplaySettings& settings) {
  const Ground& ground = table.ground();
  std::vector<std::vector<Point>> curves(ground.scenes());
  for (const Setting& setting : sweep()) {
    ReplaySettings swept = settings;
    swept.policy.mpc.eps = setting.eps;
    swept.policy.mpc.margin = setting.margin;
    const RunTable runs = RunTable::of_entry(ground, under_ceiling(setting.ceiling), swept);
    for (std::size_t scene = 0; scene < ground.scenes(); ++scene) {
      curves[scene].push_back(point_of(runs.totals(scene, "mpc")));
    }
  }
  Frontier frontier;
  std::vector<Loss> losses;
  for (std::size_t scene = 0; scene < ground.scenes(); ++scene) {
    for (const std::string& rival : rivals) {
      const Point its = point_of(table.totals(scene, rival));
      double energy = std::numeric_limits<double>::infinity();
      double missed = std::numeric_limits<double>::infinity();
      for (const Point& ours : curves[scene]) {
        energy = ours.missed <= its.missed ? std::min(energy, ours.energy) : energy;
        missed = ours.energy <= its.energy ? std::min(missed, ours.missed) : missed;
      }
      const bool less_energy = energy < its.energy;
      const bool fewer_missed = missed < its.missed;
      ++frontier.compared;
      frontier.energy_wins += less_energy ? 1U : 0U;
      frontier.miss_wins += fewer_missed ? 1U : 0U;
      if (!less_energy && !fewer_missed) {
        ++frontier.dominated;
        losses.push_back(
            {energy / its.energy,
             text("%s on %s: %s missed %.2f %% at %.0f mJ, mpc at no more misses %.0f mJ",
                  ground.inputs[scene / ground.devices.size()].name.c_str(),
                  ground.devices[scene % ground.devices.size()].name.c_str(), rival.c_str(),
                  100 * its.missed, its.energy, energy)});
      }
    }
  }
  std::sort(losses.begin(), losses.end(),
            [](const Loss& a, const Loss& b) { return a.ratio > b.ratio; });
  for (std::size_t i = 0; i < std::min(kWorst, losses.size()); ++i) {
    frontier.worst.push_back(losses[i].text);
  }
  return frontier;
}

}  // namespace framegov

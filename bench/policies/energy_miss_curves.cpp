// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/energy_miss_curves.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "bench/policies/bar_table.h"
#include "policy/bounded_policy.h"

namespace framegov::sim {

namespace {

struct Setting {
  double eps;
  double margin = 0;
  double ceiling = 1;  ///< of every cluster, as a part of its top speed
};

std::vector<Setting> targets() {
  std::vector<Setting> settings;
  for (const double eps :
       {0.0001, 0.0003, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2}) {
    settings.push_back({.eps = eps});
  }
  return settings;
}

/// Below the least target the margin, and ceilings.
std::vector<Setting> beyond_targets() {
  std::vector<Setting> settings;
  for (const double margin : {0.4, 0.3, 0.2, 0.1}) {
    settings.push_back({.eps = 0.0001, .margin = margin});
  }
  for (const double ceiling : {0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3}) {
    settings.push_back({.eps = 0.001, .ceiling = ceiling});
    settings.push_back({.eps = 0.05, .ceiling = ceiling});
    settings.push_back({.eps = 0.2, .ceiling = ceiling});
  }
  return settings;
}

constexpr std::size_t kWorst = 6;
constexpr double kNone = std::numeric_limits<double>::infinity();

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

EnergyMissCurves::EnergyMissCurves(const Ground& ground, const ReplaySettings& settings)
    : ground_(&ground), of_scene_(ground.scenes()) {
  const auto add = [&](const std::vector<Setting>& swept, Told told) {
    for (const Setting& setting : swept) {
      ReplaySettings with = settings;
      with.policy.mpc.eps = setting.eps;
      with.policy.mpc.margin = setting.margin;
      const RunTable runs = RunTable::of_entry(ground, under_ceiling(setting.ceiling), with);
      for (std::size_t scene = 0; scene < of_scene_.size(); ++scene) {
        const PlantTotals& run = runs.totals(scene, "mpc");
        of_scene_[scene].push_back({told, run.miss_rate(), run.energy_mj()});
      }
    }
  };
  add(targets(), Told::kTargets);
  add(beyond_targets(), Told::kAll);
}

double EnergyMissCurves::energy_at(std::size_t scene, double missed, Told told) const {
  double least = kNone;
  for (const Point& point : of_scene_[scene]) {
    if (point.missed <= missed && (told == Told::kAll || point.told == told)) {
      least = std::min(least, point.energy_mj);
    }
  }
  return least;
}

double EnergyMissCurves::missed_at(std::size_t scene, double energy_mj) const {
  double least = kNone;
  for (const Point& point : of_scene_[scene]) {
    least = point.energy_mj <= energy_mj ? std::min(least, point.missed) : least;
  }
  return least;
}

Frontier frontier_of(const EnergyMissCurves& curves, const RunTable& table,
                     const std::vector<std::string>& rivals) {
  const Ground& ground = curves.ground();
  Frontier frontier;
  std::vector<Loss> losses;
  for (std::size_t scene = 0; scene < ground.scenes(); ++scene) {
    for (const std::string& rival : rivals) {
      const PlantTotals& its = table.totals(scene, rival);
      const double energy = curves.energy_at(scene, its.miss_rate());
      const bool less_energy = energy < its.energy_mj();
      const bool fewer_missed = curves.missed_at(scene, its.energy_mj()) < its.miss_rate();
      ++frontier.compared;
      frontier.energy_wins += less_energy ? 1U : 0U;
      frontier.miss_wins += fewer_missed ? 1U : 0U;
      if (!less_energy && !fewer_missed) {
        ++frontier.dominated;
        losses.push_back({energy / its.energy_mj(),
                          text("%s: %s missed %.2f %% at %.0f mJ, mpc at no more misses %.0f mJ",
                               ground.name_of(scene).c_str(), rival.c_str(), 100 * its.miss_rate(),
                               its.energy_mj(), energy)});
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

}  // namespace framegov::sim

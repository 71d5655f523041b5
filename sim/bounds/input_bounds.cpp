// SPDX-License-Identifier: Apache-2.0
#include "sim/bounds/input_bounds.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/bounds/bounds.h"
#include "sim/plant/fastest_reference.h"

namespace framegov::sim {

namespace {

constexpr double kSecondsPerNs = 1e-9;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What running at each OPP of one cluster draws, all that must be awake with it included.
struct ClusterPower {
  std::vector<RunLevel> one;          ///< one thread
  std::vector<RunLevel> two;          ///< two threads at once share what is not active power
  double cheapest_other = kInfinity;  ///< mJ per second of reference work, active power alone
};

ClusterPower cluster_power(const DeviceTables& tables, std::size_t cluster) {
  const ClusterTable& table = tables.clusters[cluster];
  ClusterPower power;
  for (std::size_t opp = 0; opp < table.khz.size(); ++opp) {
    const ClusterTable::PowerPoint& point = tables.power(cluster, opp, 0);
    const double shared = point.static_power + tables.shared_mw[table.asks[opp]];
    power.one.push_back({table.share[opp], point.active + shared});
    power.two.push_back({2 * table.share[opp], 2 * point.active + shared});
    power.cheapest_other = std::min(power.cheapest_other, point.active / table.share[opp]);
  }
  return power;
}

/// Least energy of one frame with one OPP for each stage; infinite when none is in time.
double least_strict(const ReplayFrame& frame, const ClusterPower& ui, const ClusterPower& render,
                    double window_ns) {
  const double left = window_ns - frame.ui_fixed - frame.render_fixed - frame.gpu;
  double least = kInfinity;
  for (std::size_t u = 0; u < ui.one.size(); ++u) {
    const double ui_ns = frame.ui_work / ui.one[u].speed;
    for (std::size_t r = 0; r < render.one.size(); ++r) {
      const double render_ns = frame.render_work / render.one[r].speed;
      const double energy = ui_ns * ui.one[u].power_mw + render_ns * render.one[r].power_mw;
      if (ui_ns + render_ns <= left && energy < least) {
        least = energy;
      }
    }
    if (frame.ui_work <= 0) {
      break;  // its OPP does not matter
    }
  }
  return least * kSecondsPerNs;
}

double cheapest(const std::vector<RunLevel>& levels) {
  double least = kInfinity;
  for (const RunLevel& level : levels) {
    least = std::min(least, level.power_mw / level.speed);
  }
  return least;
}

/// Others' work at its cheapest, from the source's first load to `end_ns`.
double others_mj(ReplaySource& source, const std::vector<ClusterPower>& power, double start_ns,
                 double end_ns) {
  std::array<ReplayLoad, kMaxClusters> loads{};
  double at = 0;
  double rate = 0;  // mW
  double since = start_ns;
  double energy = 0;
  bool more = true;
  while (more) {
    more = source.next_load(at, {loads.data(), power.size()});
    const double until = std::clamp(more ? at : end_ns, since, end_ns);
    energy += rate * (until - since);
    since = until;
    rate = 0;
    for (std::size_t c = 0; c < power.size(); ++c) {
      rate += loads[c].total * power[c].cheapest_other;
    }
  }
  return energy * kSecondsPerNs;
}

/// Frames that one deadline mode lets full speed make in time, and what the others cost at least.
struct Demand {
  std::vector<BoundFrame> frames;
  double hopeless_mj = 0;
};

/// Adds `frame` to `demand`: with its deadline if full speed makes it, at its cheapest if not.
void add_frame(Demand& demand, FastestReference& fastest, const ReplayFrame& frame,
               const std::vector<ClusterPower>& power) {
  const auto ui = static_cast<std::size_t>(frame.ui_cluster);
  const auto render = static_cast<std::size_t>(frame.render_cluster);
  if (!fastest.on_time(frame, ui, render)) {
    demand.hopeless_mj += (frame.ui_work * cheapest(power[ui].two) +
                           frame.render_work * cheapest(power[render].two)) *
                          kSecondsPerNs;
    return;
  }
  demand.frames.push_back({frame.vsync * kSecondsPerNs, frame.deadline * kSecondsPerNs,
                           (frame.ui_work + frame.render_work) * kSecondsPerNs,
                           (frame.ui_fixed + frame.render_fixed + frame.gpu) * kSecondsPerNs});
}

/// Levels of every cluster in `used`, for one thread or for two at once as well.
std::vector<RunLevel> levels_of(const std::vector<ClusterPower>& power, std::uint32_t used,
                                bool two_threads) {
  std::vector<RunLevel> levels;
  for (std::size_t c = 0; c < power.size(); ++c) {
    if (((used >> c) & 1U) != 0) {
      levels.insert(levels.end(), power[c].one.begin(), power[c].one.end());
      if (two_threads) {
        levels.insert(levels.end(), power[c].two.begin(), power[c].two.end());
      }
    }
  }
  return levels;
}

}  // namespace

InputBounds input_bounds(ReplaySource& source, const DeviceTables& tables) {
  std::vector<ClusterPower> power;
  for (std::size_t c = 0; c < tables.clusters.size(); ++c) {
    power.push_back(cluster_power(tables, c));
  }
  InputBounds bounds;
  Demand strict;
  Demand buffered;
  FastestReference strict_fastest(tables);
  FastestReference buffered_fastest(tables);
  std::uint32_t used = 0;
  bool two_threads = false;
  double start_ns = 0;
  double end_ns = 0;
  ReplayFrame frame;
  while (source.next_frame(frame)) {
    if (end_ns <= 0) {
      start_ns = frame.vsync;
    }
    end_ns = std::max(end_ns, frame.vsync + frame.interval);
    used |= 1U << static_cast<unsigned>(frame.ui_cluster);
    used |= 1U << static_cast<unsigned>(frame.render_cluster);
    two_threads = two_threads || (frame.ui_work > 0 && frame.render_work > 0);

    const std::size_t before = strict.frames.size();
    add_frame(strict, strict_fastest, frame, power);
    if (strict.frames.size() > before) {
      bounds.strict_mj += least_strict(frame, power[static_cast<std::size_t>(frame.ui_cluster)],
                                       power[static_cast<std::size_t>(frame.render_cluster)],
                                       frame.deadline - frame.vsync);
    }
    frame.deadline += frame.interval;
    add_frame(buffered, buffered_fastest, frame, power);
  }
  if (end_ns <= 0) {
    return bounds;
  }

  const EnergyHull hull(levels_of(power, used, false), 0);
  for (const BoundFrame& each : strict.frames) {
    const double window = each.deadline - each.arrival - each.fixed;
    bounds.strict_hull_mj += hull.power_at(each.work / window) * window;
  }
  bounds.buffered_mj =
      oracle_buffered(buffered.frames, levels_of(power, used, two_threads), 0).energy_mj;
  bounds.strict_feasible = strict.frames.size();
  bounds.buffered_feasible = buffered.frames.size();
  const double others = others_mj(source, power, start_ns, end_ns);
  bounds.strict_mj += strict.hopeless_mj + others;
  bounds.strict_hull_mj += strict.hopeless_mj + others;
  bounds.buffered_mj += buffered.hopeless_mj + others;
  return bounds;
}

}  // namespace framegov::sim

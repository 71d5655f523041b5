// SPDX-License-Identifier: Apache-2.0
#include "policy/frame_placement.h"

#include <algorithm>
#include <limits>

#include "policy/cluster_allocation.h"

namespace framegov {

namespace {

constexpr double kCheaper = 0.97;  ///< of what any other cluster takes for the same speed
constexpr double kMuchCheaper = 0.5;
constexpr double kUsual = 0.9;          ///< quantile of the works that a frame's start is made for
constexpr double kPartOfTheTime = 0.9;  ///< within which they are done

/// The least energy per work at which a cluster reaches `speed`; infinite where it does not.
double energy_at(const Cluster& cluster, Speed speed) {
  double least = std::numeric_limits<double>::infinity();
  for (const Opp& opp : cluster.opps) {
    if (opp.speed >= speed) {
      least = std::min(least, opp.energy_per_work());
    }
  }
  return least;
}

bool is_cheapest_somewhere(const CpuTopology& topology, std::size_t index) {
  const auto& clusters = topology.clusters;
  return std::any_of(clusters[index].opps.begin(), clusters[index].opps.end(), [&](const Opp& opp) {
    const double own = energy_at(clusters[index], opp.speed);
    for (std::size_t other = 0; other < clusters.size(); ++other) {
      if (other != index && own > kCheaper * energy_at(clusters[other], opp.speed)) {
        return false;
      }
    }
    return true;
  });
}

Cluster speeds_of(const CpuTopology& topology, SpeedLadder& ladder) {
  const Cluster& start = topology.clusters[ladder.start];
  const Cluster& last = topology.clusters[ladder.last];
  Cluster speeds;
  speeds.transition_latency = std::max(start.transition_latency, last.transition_latency);
  const auto add = [&](std::size_t cluster, std::size_t opp) {
    if (speeds.opps.size() < kMaxOpps) {
      speeds.opps.push_back(topology.clusters[cluster].opps[opp]);
      ladder.rungs.push_back({static_cast<std::uint8_t>(cluster), static_cast<std::uint8_t>(opp)});
    }
  };
  // Above where the fastest does as much for less on it is no use to stay.
  std::size_t stays = start.opps.size();
  while (ladder.start != ladder.last && stays > 1 &&
         energy_at(last, start.opps[stays - 1].speed) < start.opps[stays - 1].energy_per_work()) {
    --stays;
  }
  for (std::size_t i = 0; i < stays; ++i) {
    add(ladder.start, i);
  }
  ladder.start_top = speeds.opps.back().speed;
  for (std::size_t i = 0; ladder.start != ladder.last && i < last.opps.size(); ++i) {
    if (last.opps[i].speed > ladder.start_top) {
      add(ladder.last, i);
    }
  }
  return speeds;
}

}  // namespace

SpeedLadder::SpeedLadder(const CpuTopology& topology, std::size_t start_cluster)
    : start(start_cluster),
      last(topology.fastest_cluster()),
      speeds(speeds_of(topology, *this)),
      scheduler(speeds) {}

FramePlacement::FramePlacement(const CpuTopology& topology) : topology_(topology) {
  const std::size_t fastest = topology.fastest_cluster();
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    if (i != fastest && is_cheapest_somewhere(topology, i)) {
      ladders_.emplace_back(topology, i);
    }
  }
  std::sort(ladders_.begin(), ladders_.end(),
            [&](const SpeedLadder& a, const SpeedLadder& b) { return a.start_top < b.start_top; });
  if (!topology.clusters.empty()) {
    ladders_.emplace_back(topology, fastest);
  }
}

std::size_t FramePlacement::choose(std::span<const double> recent, double seconds,
                                   std::span<const ClusterLimits> limits) const {
  const std::size_t last = ladders_.size() - 1;
  if (recent.empty()) {
    return last;
  }
  const auto rank = static_cast<std::size_t>(kUsual * static_cast<double>(recent.size()));
  const double usual = recent[std::min(rank, recent.size() - 1)];
  const auto top = [&](const SpeedLadder& ladder) {
    const std::size_t opp = highest_allowed_opp(topology_, ladder.start, limits);
    return std::min(ladder.start_top, topology_.clusters[ladder.start].opps[opp].speed);
  };
  std::size_t index = 0;
  while (index < last && usual > top(ladders_[index]).count() * kPartOfTheTime * seconds) {
    ++index;
  }
  return index;
}

std::size_t FramePlacement::within(const SpeedLadder& ladder, std::size_t rung,
                                   std::span<const ClusterLimits> limits) const {
  const auto allowed = [&](std::size_t each) {
    const auto [cluster, opp] = ladder.rungs[each];
    return opp <= highest_allowed_opp(topology_, cluster, limits);
  };
  if (ladder.rungs[rung].cluster != ladder.last && !allowed(rung)) {
    while (rung + 1 < ladder.rungs.size() && ladder.rungs[rung].cluster != ladder.last) {
      ++rung;
    }
  }
  while (rung > 0 && ladder.rungs[rung].cluster == ladder.last && !allowed(rung)) {
    --rung;
  }
  return rung;
}

bool FramePlacement::halves(std::size_t index, const SpeedLadder& ladder, Speed speed) const {
  const auto price = [speed](const Cluster& cluster) {
    return cluster.opps[cluster.opp_at_least(speed)].energy_per_work();
  };
  return price(ladder.speeds) < kMuchCheaper * price(topology_.clusters[index]);
}

ThreadPlan FramePlacement::hold(const SpeedLadder::Rung& rung, double headroom) const {
  const auto& opps = topology_.clusters[rung.cluster].opps;
  const Speed speed = opps[rung.opp].speed;
  // Between the OPP below and this one, so that rounding does not come to another.
  const Speed clamp = rung.opp > 0 ? (speed + opps[rung.opp - 1U].speed) * 0.5 : speed;
  ThreadPlan plan;
  plan.clusters = static_cast<std::uint8_t>(1U << rung.cluster);
  if (headroom > 0) {
    plan.floor = clamp * (1 / headroom);
    plan.cap = plan.floor;
  }
  return plan;
}

ClusterPlan FramePlacement::limits(const SpeedLadder::Rung& rung) const {
  const Frequency frequency = topology_.clusters[rung.cluster].opps[rung.opp].frequency;
  return {frequency, frequency};
}

}  // namespace framegov

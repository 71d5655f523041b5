// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace framegov::calibrate {

namespace {

constexpr std::size_t kFullRounds = 2;
constexpr std::size_t kGuessedRounds = 8;
constexpr std::size_t kLoadsPerBaseline = 2;
constexpr double kExcessUnknown = 2;      // of an OPP that cannot be told from rest yet
constexpr std::size_t kMostInARound = 8;  // of one load: what it needs is known better afterwards

std::map<Load, std::size_t> count(std::span<const Segment> segments) {
  std::map<Load, std::size_t> had;
  for (const Segment& segment : segments) {
    ++had[segment.load];
  }
  return had;
}

/// In an order of its own: no load always follows the same one, or comes late. Not std::shuffle,
/// whose order differs between libraries: a resumed measurement takes the same.
void shuffle(std::vector<Load>& loads, std::size_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = loads.size(); i > 1; --i) {
    std::swap(loads[i - 1], loads[random() % i]);
  }
}

}  // namespace

Plan::Plan(std::vector<ClusterShape> shapes, Goal goal) : shapes_(std::move(shapes)), goal_(goal) {
  for (std::size_t c = 0; c < shapes_.size(); ++c) {
    const ClusterShape& shape = shapes_[c];
    const std::size_t last = shape.mhz.size() - 1;
    const std::vector<std::size_t> anchors = static_anchors(shape);
    for (std::size_t opp = 0; opp <= last; ++opp) {
      const bool anchor = std::find(anchors.begin(), anchors.end(), opp) != anchors.end();
      if (opp % goal_.every == 0 || opp == last || anchor) {
        loads_.push_back({c, opp, shape.cpus});
      }
      if (anchor) {
        loads_.push_back({c, opp, 1});
      }
    }
  }
}

Plan::Wanted Plan::wanted(std::span<const Segment> segments, const std::set<Load>& given_up) const {
  auto had = count(segments);
  Wanted wanted;
  std::size_t fewest = kFullRounds;
  for (const Load& load : loads_) {
    if (!given_up.contains(load)) {
      fewest = std::min(fewest, had[load]);
    }
  }
  for (const Load& load : loads_) {
    if (fewest < kFullRounds && !given_up.contains(load) && had[load] == fewest) {
      wanted[load] = 1;
    }
  }
  if (fewest < kFullRounds || segments.size() >= goal_.most_segments) {
    return wanted;
  }
  const Estimate so_far = estimate(shapes_, segments);
  for (const Load& load : loads_) {
    const OppEstimate& opp = so_far.clusters[load.cluster][load.opp];
    const double excess =
        opp.measured ? opp.relative_error() / goal_.relative_error : kExcessUnknown;
    if (load.busy != shapes_[load.cluster].cpus || had[load] == 0 || excess <= 1) {
      continue;
    }
    Load best = load;
    if (opp.static_share > 0.5) {
      best = {load.cluster, 0, 1};
      for (const std::size_t anchor : static_anchors(shapes_[load.cluster])) {
        best.opp = anchor <= load.opp ? anchor : best.opp;
      }
    }
    if (!given_up.contains(best)) {
      const double more = static_cast<double>(had[best]) * (excess * excess - 1);
      wanted[best] = std::max(wanted[best], static_cast<std::size_t>(std::ceil(more)));
    }
  }
  return wanted;
}

std::vector<Load> Plan::next_round(std::span<const Segment> segments,
                                   const std::set<Load>& given_up) const {
  std::vector<Load> loads;
  for (const auto& [load, times] : wanted(segments, given_up)) {
    loads.insert(loads.end(), std::min(times, kMostInARound), load);
  }
  shuffle(loads, segments.size());
  std::vector<Load> round;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (i % kLoadsPerBaseline == 0) {
      round.push_back({});
    }
    round.push_back(loads[i]);
  }
  if (segments.size() + round.size() > goal_.most_segments && segments.size() > 2 * loads_.size()) {
    round.resize(goal_.most_segments - std::min(goal_.most_segments, segments.size()));
  }
  if (!round.empty()) {
    round.push_back({});
  }
  return round;
}

std::size_t Plan::segments_left(std::span<const Segment> segments,
                                const std::set<Load>& given_up) const {
  std::size_t loads = 0;
  for (const auto& [load, times] : wanted(segments, given_up)) {
    loads += times;
  }
  const std::size_t full = loads_.size() * (kLoadsPerBaseline + 1) / kLoadsPerBaseline;
  const std::size_t guessed = full * kGuessedRounds;
  std::size_t left = loads + loads / kLoadsPerBaseline;
  if (segments.size() < full * kFullRounds) {
    left = std::max(left, guessed - std::min(guessed, segments.size()));
  }
  return std::min(left, goal_.most_segments - std::min(goal_.most_segments, segments.size()));
}

}  // namespace framegov::calibrate

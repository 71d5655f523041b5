// SPDX-License-Identifier: Apache-2.0
#include "sim/results/ranking.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace framegov {

namespace {

/// A policy's sums over its runs.
struct Sums {
  std::string policy;
  double log_strict = 0;
  double log_buffered = 0;
  double log_stock = 0;
  double log_frames = 0;
  double log_others = 0;
  std::uint64_t with_others = 0;
  bool has_frames = true;
  bool bounded = true;
  bool has_stock = true;
  std::uint64_t runs = 0;
  std::uint64_t frames = 0;
  std::uint64_t feasible = 0;
  std::uint64_t missed = 0;
  std::uint64_t writes = 0;
};

void add(Sums& sums, const ScoredRun& run) {
  sums.bounded = sums.bounded && run.vs_strict && run.vs_buffered;
  sums.has_stock = sums.has_stock && run.vs_stock;
  sums.log_strict += std::log(run.vs_strict.value_or(1));
  sums.log_buffered += std::log(run.vs_buffered.value_or(1));
  sums.log_stock += std::log(run.vs_stock.value_or(1));
  sums.log_frames += std::log(run.frames_vs_bound.value_or(1));
  sums.has_frames = sums.has_frames && run.frames_vs_bound;
  if (run.others_vs_stock) {
    sums.log_others += std::log(*run.others_vs_stock);
    ++sums.with_others;
  }
  ++sums.runs;
  sums.frames += run.run.totals.frames;
  sums.feasible += run.run.totals.feasible;
  sums.missed += run.run.totals.missed;
  sums.writes += run.run.totals.writes;
}

double part(std::uint64_t a, std::uint64_t b) {
  return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : 0.0;
}

RankedPolicy ranked(const Sums& sums) {
  const auto runs = static_cast<double>(sums.runs);
  const double others =
      sums.with_others > 0 ? std::exp(sums.log_others / static_cast<double>(sums.with_others)) : 0;
  return {.policy = sums.policy,
          .vs_strict = sums.bounded ? std::exp(sums.log_strict / runs) : 0,
          .vs_buffered = sums.bounded ? std::exp(sums.log_buffered / runs) : 0,
          .vs_stock = sums.has_stock ? std::exp(sums.log_stock / runs) : 0,
          .frames_vs_bound = sums.has_frames ? std::exp(sums.log_frames / runs) : 0,
          .others_vs_stock = others,
          .miss_rate = part(sums.missed, sums.feasible),
          .writes_per_frame = part(sums.writes, sums.frames),
          .on_front = false,
          .delays_others = others > kMostOthersDelay};
}

double energy(const RankedPolicy& policy) {
  return policy.vs_strict > 0 ? policy.vs_strict : policy.vs_stock;
}

bool dominates(const RankedPolicy& a, const RankedPolicy& b) {
  return (!a.delays_others || b.delays_others) && energy(a) <= energy(b) &&
         a.miss_rate <= b.miss_rate && (energy(a) < energy(b) || a.miss_rate < b.miss_rate);
}

std::string or_dash(double value) {
  if (value <= 0) {
    return "-";
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << value;
  return text.str();
}

}  // namespace

std::vector<RankedPolicy> rank(const std::vector<ScoredRun>& runs) {
  std::vector<Sums> sums;
  for (const ScoredRun& run : runs) {
    if (run.run.totals.frames == 0) {
      continue;  // it has no ratios, and would take them from all others
    }
    auto found = std::find_if(sums.begin(), sums.end(),
                              [&](const Sums& each) { return each.policy == run.run.policy; });
    if (found == sums.end()) {
      sums.push_back({.policy = run.run.policy});
      found = sums.end() - 1;
    }
    add(*found, run);
  }
  std::vector<RankedPolicy> ranking;
  for (const Sums& each : sums) {
    ranking.push_back(ranked(each));
  }
  for (RankedPolicy& policy : ranking) {
    policy.on_front = std::none_of(ranking.begin(), ranking.end(), [&](const RankedPolicy& other) {
      return dominates(other, policy);
    });
  }
  std::stable_sort(
      ranking.begin(), ranking.end(), [](const RankedPolicy& a, const RankedPolicy& b) {
        const bool a_late = a.miss_rate > kOnTime;
        const bool b_late = b.miss_rate > kOnTime;
        if (a_late != b_late) {
          return b_late;
        }
        return a.delays_others != b.delays_others ? b.delays_others : energy(a) < energy(b);
      });
  return ranking;
}

void print_ranking(std::ostream& out, const std::vector<RankedPolicy>& ranking,
                   std::string_view world) {
  std::ostringstream text;
  text << "All inputs and phones, " << world
       << " world: geometric means of energy, misses of feasible deadlines\n"
       << "  policy               missed %   frames  vs strict  vs buffered  vs stock  others' p90"
          "  writes/frame\n"
       << std::fixed;
  for (const RankedPolicy& each : ranking) {
    text << (each.on_front ? "* " : "  ") << std::left << std::setw(18) << each.policy << std::right
         << std::setw(11) << std::setprecision(3) << 100 * each.miss_rate << std::setw(9)
         << or_dash(each.frames_vs_bound) << std::setw(11) << or_dash(each.vs_strict)
         << std::setw(13) << or_dash(each.vs_buffered) << std::setw(10) << or_dash(each.vs_stock)
         << std::setw(12) << or_dash(each.others_vs_stock) << (each.delays_others ? '!' : ' ')
         << std::setw(14) << std::setprecision(2) << each.writes_per_frame << '\n';
  }
  text << "* Pareto front: no other policy has both less energy and fewer misses\n"
          "frames: energy of the frames' threads over their own bound. others' p90: when others' "
          "bursts are done,\n90th percentile over "
       << kStockPolicy
       << "'s; '!': more than a tenth later, "
          "so that the energy is bought with their delay\n";
  out << text.str();
}

}  // namespace framegov

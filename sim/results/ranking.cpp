// SPDX-License-Identifier: Apache-2.0
#include "sim/results/ranking.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <random>
#include <sstream>
#include <utility>

namespace framegov::sim {

/// Sums over the runs of a policy, of one input or of all. Logarithms are weighted by frames.
struct RunSums {
  double log_strict = 0;
  double log_buffered = 0;
  double log_stock = 0;
  double log_frames = 0;
  double log_others = 0;
  bool bounded = true;
  bool has_stock = true;
  bool has_frames = true;
  double frames = 0;
  double frames_with_others = 0;
  double feasible = 0;
  double missed = 0;
  double avoidable = 0;
  double writes = 0;

  void add(const RankedRun& run) {
    const auto weight = static_cast<double>(run.frames);
    bounded = bounded && run.vs_strict && run.vs_buffered;
    has_stock = has_stock && run.vs_stock;
    log_strict += weight * std::log(run.vs_strict.value_or(1));
    log_buffered += weight * std::log(run.vs_buffered.value_or(1));
    log_stock += weight * std::log(run.vs_stock.value_or(1));
    log_frames += weight * std::log(run.frames_vs_bound.value_or(1));
    has_frames = has_frames && run.frames_vs_bound;
    if (run.others_vs_stock) {
      log_others += weight * std::log(*run.others_vs_stock);
      frames_with_others += weight;
    }
    frames += weight;
    feasible += static_cast<double>(run.feasible);
    missed += static_cast<double>(run.missed);
    avoidable += static_cast<double>(run.avoidable);
    writes += static_cast<double>(run.writes);
  }
  void add(const RunSums& other) {
    bounded = bounded && other.bounded;
    has_stock = has_stock && other.has_stock;
    log_strict += other.log_strict;
    log_buffered += other.log_buffered;
    log_stock += other.log_stock;
    log_frames += other.log_frames;
    has_frames = has_frames && other.has_frames;
    log_others += other.log_others;
    frames_with_others += other.frames_with_others;
    frames += other.frames;
    feasible += other.feasible;
    missed += other.missed;
    avoidable += other.avoidable;
    writes += other.writes;
  }
  [[nodiscard]] double mean(double logs, bool has) const {
    return has && frames > 0 ? std::exp(logs / frames) : 0;
  }
  [[nodiscard]] double energy() const {
    return bounded ? mean(log_strict, true) : mean(log_stock, has_stock);
  }
  [[nodiscard]] double others() const {
    return frames_with_others > 0 ? std::exp(log_others / frames_with_others) : 0;
  }
  [[nodiscard]] double miss_rate() const { return feasible > 0 ? missed / feasible : 0; }
  [[nodiscard]] double avoidable_rate() const { return feasible > 0 ? avoidable / feasible : 0; }
};

struct PolicySums {
  std::string policy;
  std::map<std::string, RunSums> by_input;

  [[nodiscard]] RunSums all() const {
    RunSums sums;
    for (const auto& [input, own] : by_input) {
      sums.add(own);
    }
    return sums;
  }
};

namespace {

/// Means of `policy` over inputs drawn with replacement, as many as there are: the spread that
/// other inputs of the same kind would give.
void find_ranges(const PolicySums& policy, RankedPolicy& ranked) {
  constexpr std::size_t kDraws = 1000;
  constexpr std::uint64_t kSeed = 1;  // the same draws for every policy
  std::vector<const RunSums*> scenes;
  for (const auto& [input, own] : policy.by_input) {
    scenes.push_back(&own);
  }
  std::mt19937_64 random(kSeed);
  std::vector<double> energies;
  std::vector<double> misses;
  std::vector<double> avoidable;
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    RunSums sums;
    for (std::size_t i = 0; i < scenes.size(); ++i) {
      sums.add(*scenes[random() % scenes.size()]);
    }
    energies.push_back(sums.energy());
    misses.push_back(sums.miss_rate());
    avoidable.push_back(sums.avoidable_rate());
  }
  const auto middle = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return Interval{values[kDraws / 40], values[kDraws - 1 - kDraws / 40]};
  };
  ranked.energy_range = middle(energies);
  ranked.miss_range = middle(misses);
  ranked.avoidable_range = middle(avoidable);
}

RankedPolicy ranked_policy(const PolicySums& policy) {
  const RunSums sums = policy.all();
  RankedPolicy ranked{.policy = policy.policy,
                      .vs_strict = sums.mean(sums.log_strict, sums.bounded),
                      .vs_buffered = sums.mean(sums.log_buffered, sums.bounded),
                      .vs_stock = sums.mean(sums.log_stock, sums.has_stock),
                      .frames_vs_bound = sums.mean(sums.log_frames, sums.has_frames),
                      .others_vs_stock = sums.others(),
                      .miss_rate = sums.miss_rate(),
                      .avoidable_rate = sums.avoidable_rate(),
                      .writes_per_frame = sums.frames > 0 ? sums.writes / sums.frames : 0,
                      .on_front = false,
                      .delays_others = sums.others() > kMostOthersDelay,
                      .energy_range = {},
                      .miss_range = {},
                      .avoidable_range = {}};
  find_ranges(policy, ranked);
  return ranked;
}

bool dominates(const RankedPolicy& a, const RankedPolicy& b) {
  return (!a.delays_others || b.delays_others) && a.energy() <= b.energy() &&
         a.miss_rate <= b.miss_rate && (a.energy() < b.energy() || a.miss_rate < b.miss_rate);
}

bool is_better(const RankedPolicy& a, const RankedPolicy& b) {
  if (a.on_time() != b.on_time()) {
    return a.on_time();
  }
  if (!a.on_time()) {
    return std::pair(a.avoidable_rate, a.energy()) < std::pair(b.avoidable_rate, b.energy());
  }
  return std::pair(a.delays_others, a.energy()) < std::pair(b.delays_others, b.energy());
}

std::string or_dash(double value) {
  if (value <= 0) {
    return "-";
  }
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << value;
  return text.str();
}

std::string range_text(const Interval& range, double scale, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << scale * range.low << " to "
       << scale * range.high;
  return text.str();
}

RankedRun ranked_run(const ScoredRun& scored) {
  const PlantTotals& totals = scored.run.totals;
  return {.policy = scored.run.policy,
          .input = scored.run.input,
          .frames = totals.frames,
          .feasible = totals.feasible,
          .missed = totals.missed,
          .avoidable = scored.run.avoidable.value_or(totals.missed),
          .writes = totals.writes + totals.thread_writes,
          .vs_strict = scored.vs_strict,
          .vs_buffered = scored.vs_buffered,
          .vs_stock = scored.vs_stock,
          .frames_vs_bound = scored.frames_vs_bound,
          .others_vs_stock = scored.others_vs_stock};
}

bool is_short(const ScoredRun& run) { return run.run.totals.frames < kFewestRankedFrames; }

}  // namespace

struct Ranking::Sums {
  std::vector<PolicySums> policies;
};

Ranking::Ranking() : sums_(std::make_unique<Sums>()) {}
Ranking::Ranking(Ranking&&) noexcept = default;
Ranking& Ranking::operator=(Ranking&&) noexcept = default;
Ranking::~Ranking() = default;

void Ranking::add(const RankedRun& run) {
  if (run.frames < kFewestRankedFrames) {
    return;
  }
  std::vector<PolicySums>& sums = sums_->policies;
  auto found = std::find_if(sums.begin(), sums.end(),
                            [&](const PolicySums& each) { return each.policy == run.policy; });
  if (found == sums.end()) {
    sums.push_back({.policy = run.policy, .by_input = {}});
    found = sums.end() - 1;
  }
  found->by_input[run.input].add(run);
}

std::vector<RankedPolicy> Ranking::policies() const {
  std::vector<RankedPolicy> ranking;
  for (const PolicySums& each : sums_->policies) {
    ranking.push_back(ranked_policy(each));
  }
  for (RankedPolicy& policy : ranking) {
    policy.on_front = std::none_of(ranking.begin(), ranking.end(), [&](const RankedPolicy& other) {
      return dominates(other, policy);
    });
  }
  std::stable_sort(ranking.begin(), ranking.end(), is_better);
  return ranking;
}

std::vector<RankedPolicy> rank(const std::vector<ScoredRun>& runs) {
  Ranking ranking;
  for (const ScoredRun& run : runs) {
    ranking.add(ranked_run(run));
  }
  return ranking.policies();
}

nlohmann::json to_json(const std::vector<RankedPolicy>& ranking) {
  nlohmann::json rows = nlohmann::json::array();
  for (const RankedPolicy& each : ranking) {
    rows.push_back({{"policy", each.policy},
                    {"vs_strict", each.vs_strict},
                    {"vs_buffered", each.vs_buffered},
                    {"vs_stock", each.vs_stock},
                    {"frames_vs_bound", each.frames_vs_bound},
                    {"others_vs_stock", each.others_vs_stock},
                    {"miss_rate", each.miss_rate},
                    {"avoidable_rate", each.avoidable_rate},
                    {"writes_per_frame", each.writes_per_frame},
                    {"on_front", each.on_front},
                    {"delays_others", each.delays_others},
                    {"energy_low", each.energy_range.low},
                    {"energy_high", each.energy_range.high},
                    {"miss_low", each.miss_range.low},
                    {"miss_high", each.miss_range.high},
                    {"avoidable_low", each.avoidable_range.low},
                    {"avoidable_high", each.avoidable_range.high}});
  }
  return rows;
}

std::vector<std::string> not_ranked(const std::vector<ScoredRun>& runs) {
  std::vector<std::string> names;
  for (const ScoredRun& run : runs) {
    if (is_short(run) && std::find(names.begin(), names.end(), run.run.input) == names.end()) {
      names.push_back(run.run.input);
    }
  }
  return names;
}

void print_ranking(std::ostream& out, const std::vector<ScoredRun>& runs, std::string_view world) {
  for (const std::string& name : not_ranked(runs)) {
    out << name << ": fewer than " << kFewestRankedFrames << " frames, not ranked\n";
  }
  print_ranking(out, rank(runs), world);
}

void print_ranking(std::ostream& out, const std::vector<RankedPolicy>& ranking,
                   std::string_view world) {
  std::ostringstream text;
  if (!ranking.empty()) {
    text << "All inputs and phones, " << world
         << " world: geometric means of energy, weighted by frames; misses of feasible deadlines\n"
            "and, of those, of what full speed meets in this world (avoidable);\n"
            "95 % intervals over inputs\n"
         << "  policy               missed %  (95 %)          avoidable %  frames  vs strict  vs "
            "buffered"
            "  vs stock  (95 %)          others' p90  writes/frame\n"
         << std::fixed;
  }
  for (const RankedPolicy& each : ranking) {
    text << (each.on_front ? "* " : "  ") << std::left << std::setw(18) << each.policy << std::right
         << std::setw(11) << std::setprecision(3) << 100 * each.miss_rate << "  " << std::left
         << std::setw(16) << range_text(each.miss_range, 100, 3) << std::right << std::setw(11)
         << std::setprecision(3) << 100 * each.avoidable_rate << std::setw(8)
         << or_dash(each.frames_vs_bound) << std::setw(11) << or_dash(each.vs_strict)
         << std::setw(13) << or_dash(each.vs_buffered) << std::setw(10) << or_dash(each.vs_stock)
         << "  " << std::left << std::setw(16) << range_text(each.energy_range, 1, 3) << std::right
         << std::setw(10) << or_dash(each.others_vs_stock) << (each.delays_others ? '!' : ' ')
         << std::setw(14) << std::setprecision(2) << each.writes_per_frame << '\n';
  }
  if (!ranking.empty()) {
    text << "* Pareto front: no other policy has both less energy and fewer misses; the last "
            "interval is of vs strict where all runs have it, else of vs stock\n"
            "frames: energy of the frames' threads over their own bound. others' p90: when others' "
            "bursts are done,\n90th percentile over "
         << kStockPolicy
         << "'s; '!': more than a tenth later, so that the energy is bought with their delay\n";
  }
  out << text.str();
}

}  // namespace framegov::sim

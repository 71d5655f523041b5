// SPDX-License-Identifier: Apache-2.0
#include "sim/tune/tuning.h"

#include <algorithm>
#include <set>

#include "sim/results/scorecard.h"

namespace framegov::sim {

namespace {

/// What a search on some recordings has come to.
struct Found {
  TuneFigures defaults;
  std::vector<TuneValues> front;
  std::vector<TuneFigures> figures;  ///< of the front

  /// The least energy that misses at most `more` than the defaults, else what misses least.
  [[nodiscard]] std::size_t choose(double more) const {
    const auto fits = std::find_if(figures.begin(), figures.end(), [&](const TuneFigures& each) {
      return each.missed <= defaults.missed + more;
    });
    return static_cast<std::size_t>(std::min(fits, figures.end() - 1) - figures.begin());
  }
};

/// Policies that are compared delay others by at most a tenth; defaults that do so more set the
/// mark themselves.
double most_others(const TuneFigures& defaults) {
  return std::max(kMostOthersDelay, defaults.others);
}

Found search_on(TuneRunner& runner, const TuneMask& counted, const TuneSearch& search) {
  const TuneSpace& space = runner.space();
  const TuneValues start = space.defaults();
  runner.run({start});
  Found found{TuneFigures::of(runner.runs_of(start), counted), {}, {}};
  const double most = most_others(found.defaults);
  std::set<TuneValues> tried{start};
  search(space.places_of(start), [&](const std::vector<TunePlaces>& batch) {
    std::vector<TuneValues> values;
    for (const TunePlaces& places : batch) {
      values.push_back(space.values_at(places));
    }
    runner.run(values);
    tried.insert(values.begin(), values.end());
    std::vector<TuneObjectives> objectives;
    for (const TuneValues& each : values) {
      const TuneFigures figures = TuneFigures::of(runner.runs_of(each), counted);
      const double too_late = figures.others > most ? figures.others / most : 0;
      objectives.emplace_back(figures.energy + too_late, figures.missed + too_late);
    }
    return objectives;
  });
  const std::vector<TuneValues> all(tried.begin(), tried.end());
  std::vector<TuneFigures> figures;
  for (const TuneValues& each : all) {
    figures.push_back(TuneFigures::of(runner.runs_of(each), counted));
  }
  for (const std::size_t i : pareto_front(figures, most)) {
    found.front.push_back(all[i]);
    found.figures.push_back(figures[i]);
  }
  return found;
}

bool is_better(const TuneFigures& figures, const TuneFigures& defaults, double allowance) {
  return figures.energy < defaults.energy && figures.missed <= defaults.missed + allowance &&
         figures.others <= most_others(defaults);
}

}  // namespace

std::vector<TuneMask> tune_folds(std::size_t recordings, std::size_t folds) {
  std::vector<TuneMask> masks(std::min(folds, recordings), TuneMask(recordings));
  for (std::size_t i = 0; i < recordings; ++i) {
    masks[i % masks.size()][i] = true;
  }
  return masks;
}

std::vector<std::size_t> pareto_front(std::span<const TuneFigures> figures, double most_others) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].others <= most_others) {
      front.push_back(i);
    }
  }
  std::stable_sort(front.begin(), front.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(figures[a].energy, figures[a].missed) <
           std::pair(figures[b].energy, figures[b].missed);
  });
  // By energy now: what is left misses less than all before it.
  double fewest = 2;
  std::erase_if(front, [&](std::size_t i) {
    const bool beaten = figures[i].missed >= fewest;
    fewest = std::min(fewest, figures[i].missed);
    return beaten;
  });
  return front;
}

TuneResult tune(TuneRunner& runner, const std::vector<TuneMask>& folds, double allowance,
                const TuneSearch& search) {
  std::vector<Found> without;
  for (const TuneMask& fold : folds) {
    TuneMask rest = fold;
    rest.flip();
    without.push_back(search_on(runner, rest, search));
  }
  const TuneMask all(runner.recordings(), true);
  const Found found = search_on(runner, all, search);
  TuneResult result{.defaults = found.defaults,
                    .front = {},
                    .chosen = found.choose(allowance),
                    .searches = folds.size() + 1};
  // A fold's choice, on the recordings that it left out.
  const auto unseen = [&](std::size_t fold, double more) {
    const Found& own = without[fold];
    std::vector<TuneRun> runs = runner.runs_of(own.front[own.choose(more)]);
    std::erase_if(runs, [&](const TuneRun& run) { return !folds[fold][run.recording]; });
    return runs;
  };
  for (std::size_t i = 0; i < found.front.size(); ++i) {
    const double more =
        i == result.chosen ? allowance : found.figures[i].missed - found.defaults.missed;
    std::vector<TuneRun> runs;
    for (std::size_t fold = 0; fold < folds.size(); ++fold) {
      const std::vector<TuneRun> own = unseen(fold, more);
      runs.insert(runs.end(), own.begin(), own.end());
    }
    // In the order of the defaults' runs: equal runs have equal means, to the last bit.
    std::ranges::stable_sort(runs, {}, &TuneRun::recording);
    result.front.push_back({found.front[i], found.figures[i], TuneFigures::of(runs, all)});
  }
  const std::vector<TuneRun>& defaults = runner.runs_of(runner.space().defaults());
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    result.folds_held += is_better(TuneFigures::of(unseen(fold, allowance), folds[fold]),
                                   TuneFigures::of(defaults, folds[fold]), allowance)
                             ? 1U
                             : 0U;
  }
  result.holds = is_better(result.front[result.chosen].in_sample, result.defaults, allowance) &&
                 is_better(result.front[result.chosen].left_out, result.defaults, allowance);
  return result;
}

}  // namespace framegov::sim

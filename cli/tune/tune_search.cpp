// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_search.h"

#ifdef FRAMEGOV_PAGMO
#include <algorithm>
#include <array>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/multi_objective.hpp>
#include <random>
#include <utility>
#endif

namespace framegov::cli {

#ifdef FRAMEGOV_PAGMO

namespace {

/// What pagmo sees: places within ranges, and two objectives of a whole batch.
class TuneProblem {
 public:
  TuneProblem() = default;  // pagmo asks for it
  TuneProblem(std::size_t size, const sim::TuneObjective& objective)
      : size_(size), objective_(&objective) {}

  [[nodiscard]] pagmo::vector_double fitness(const pagmo::vector_double& places) const {
    return batch_fitness(places);
  }
  /// `batch`: the places of one choice after the other; so are the objectives.
  [[nodiscard]] pagmo::vector_double batch_fitness(const pagmo::vector_double& batch) const {
    std::vector<sim::TunePlaces> choices;
    for (auto from = batch.begin(); from != batch.end();) {
      const auto to = from + static_cast<std::ptrdiff_t>(size_);
      choices.emplace_back(from, to);
      from = to;
    }
    pagmo::vector_double fitness;
    for (const auto& [energy, missed] : (*objective_)(choices)) {
      fitness.insert(fitness.end(), {energy, missed});
    }
    return fitness;
  }
  [[nodiscard]] static pagmo::vector_double::size_type get_nobj() { return 2; }
  [[nodiscard]] std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    return {pagmo::vector_double(size_, 0), pagmo::vector_double(size_, 1)};
  }

 private:
  std::size_t size_ = 1;
  const sim::TuneObjective* objective_ = nullptr;
};

/// An eighth of each island, its best, takes the place of the worst of the next one on a ring. All
/// go at once, so that the order of the islands does not count.
void migrate(std::vector<pagmo::population>& islands) {
  constexpr std::size_t kPart = 8;
  std::vector<std::vector<pagmo::pop_size_t>> order;  // of each island, the best first
  for (const pagmo::population& island : islands) {
    order.push_back(pagmo::sort_population_mo(island.get_f()));
  }
  const std::vector<pagmo::population> before = islands;
  for (std::size_t i = 0; i < islands.size(); ++i) {
    const std::size_t to = (i + 1) % islands.size();
    for (std::size_t k = 0; k < before[i].size() / kPart; ++k) {
      const auto best = order[i][k];
      islands[to].set_xf(order[to].rbegin()[static_cast<std::ptrdiff_t>(k)],
                         before[i].get_x()[best], before[i].get_f()[best]);
    }
  }
}

void search(const TuneEffort& effort, const sim::TunePlaces& start,
            const sim::TuneObjective& objective) {
  // As Deb and others give them (2002), but for the mutation: one place of a choice, on average.
  constexpr double kCrossover = 0.9;
  constexpr double kCrossoverIndex = 20;
  constexpr double kMutationIndex = 20;
  const pagmo::bfe batch{pagmo::member_bfe{}};
  // A neighbouring seed's islands are others, and the first island is the one that there is alone.
  const auto seed = [&](std::size_t draw) {
    std::array<unsigned, 1> mixed{effort.seed};
    if (draw > 0) {
      std::seed_seq{effort.seed, static_cast<unsigned>(draw)}.generate(mixed.begin(), mixed.end());
    }
    return mixed.front();
  };
  std::vector<pagmo::population> islands;
  for (std::size_t i = 0; i < effort.islands; ++i) {
    islands.emplace_back(pagmo::problem(TuneProblem(start.size(), objective)), batch,
                         effort.population - 1, seed(i));
    islands.back().push_back(start);
  }
  const std::size_t epoch = effort.islands > 1 ? kIslandEpoch : effort.generations;
  for (std::size_t bred = 0; bred < effort.generations; bred += epoch) {
    if (bred > 0) {
      migrate(islands);
    }
    for (std::size_t i = 0; i < effort.islands; ++i) {
      pagmo::nsga2 nsga2(static_cast<unsigned>(std::min(epoch, effort.generations - bred)),
                         kCrossover, kCrossoverIndex, 1 / static_cast<double>(start.size()),
                         kMutationIndex, seed(bred * effort.islands + i));
      nsga2.set_bfe(batch);
      islands[i] = nsga2.evolve(islands[i]);
    }
  }
}

}  // namespace

Result<sim::TuneSearch> nsga2_search(const TuneEffort& effort) {
  return [effort](const sim::TunePlaces& start, const sim::TuneObjective& objective) {
    search(effort, start, objective);
  };
}

#else

Result<sim::TuneSearch> nsga2_search(const TuneEffort& /*effort*/) {
  return fail(ExitCode::kUnsupported, "this framegov was built without pagmo, which tune needs",
              "install libpagmo-dev (./dev deps), configure and build again");
}

#endif

}  // namespace framegov::cli

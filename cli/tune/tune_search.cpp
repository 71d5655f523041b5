// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_search.h"

#ifdef FRAMEGOV_PAGMO
#include <algorithm>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
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

void search(const TuneEffort& effort, const sim::TunePlaces& start,
            const sim::TuneObjective& objective) {
  // As Deb and others give them (2002), but for the mutation: one place of a choice, on average.
  constexpr double kCrossover = 0.9;
  constexpr double kCrossoverIndex = 20;
  constexpr double kMutationIndex = 20;
  const pagmo::bfe batch{pagmo::member_bfe{}};
  pagmo::nsga2 nsga2(static_cast<unsigned>(effort.generations), kCrossover, kCrossoverIndex,
                     1 / static_cast<double>(start.size()), kMutationIndex, effort.seed);
  nsga2.set_bfe(batch);
  pagmo::population population(pagmo::problem(TuneProblem(start.size(), objective)), batch,
                               effort.population - 1, effort.seed);
  population.push_back(start);
  (void)nsga2.evolve(population);
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

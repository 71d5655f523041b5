// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/tune/tune_search.h"
#include "sim/tune/tune_space.h"
#include "sim/tune/tuning.h"

namespace framegov::cli {

/// What a result was found on.
struct TuneConditions {
  std::vector<std::string> recordings;
  std::vector<std::string> devices;
  std::string world;
  std::string deadline;
  std::size_t folds{};
  double allowance{};  ///< of sim::tune()
  TuneEffort effort;
  std::vector<std::size_t> lost_ranks = {};  ///< RankServer::end()
};

/// Whether what was chosen holds on recordings left out, in one sentence.
[[nodiscard]] std::string tune_verdict(const sim::TuneResult& result,
                                       const TuneConditions& conditions);

/// The front beside the defaults, for people; the verdict is its last line.
void print_tune(std::ostream& out, const sim::TuneSpace& space, const sim::TuneResult& result,
                const TuneConditions& conditions);

/// The same as JSON (docs/tune.md).
[[nodiscard]] nlohmann::json tune_json(const sim::TuneSpace& space, const sim::TuneResult& result,
                                       const TuneConditions& conditions);

/// Whether profiles can set all of the space's parameters.
[[nodiscard]] bool fits_profiles(const sim::TuneSpace& space);

/// The chosen point as YAML: the defaults of a file of the profiles folder where fits_profiles(),
/// else the policy's section of a configuration.
[[nodiscard]] std::string tune_profile(const sim::TuneSpace& space, const sim::TuneResult& result,
                                       const TuneConditions& conditions);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/sim_inputs.h"
#include "cli/tune/tune_search.h"
#include "sim/workload/deadline_mode.h"

namespace framegov::cli {

struct TuneArguments {
  SimInputArguments inputs;
  std::string policy = "mpc";
  std::vector<std::string> parameters;  ///< none: all that the policy declares
  std::string devices = "tensor_g1";
  std::string device_dir;
  sim::DeadlineMode deadline = sim::DeadlineMode::kStrict;
  TuneEffort effort;
  std::size_t folds = 5;
  double allow_missed = 0;  ///< percent of the deadlines
  std::size_t jobs = 0;
  std::string output;
  std::string json;
};

/// Searches, prints the front and writes what was asked for.
[[nodiscard]] Status run_tune(TuneArguments arguments);

}  // namespace framegov::cli

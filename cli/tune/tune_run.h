// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
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
  double allow_missed = 0;          ///< percent of the deadlines
  std::optional<std::size_t> jobs;  ///< 0: one for each CPU; of several ranks one is usual
  std::string ranks_dir = ".";      ///< that all ranks see
  std::string output;
  std::string json;
};

/// Searches, prints the front and writes what was asked for. Of several ranks rank 0 does that, and
/// the others replay for it.
[[nodiscard]] Status run_tune(TuneArguments arguments);

}  // namespace framegov::cli

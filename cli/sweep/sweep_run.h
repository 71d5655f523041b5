// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace framegov::cli {

/// One part of several, counted from 1.
struct SweepShard {
  std::size_t number = 1;
  std::size_t count = 1;
};

struct SweepArguments {
  std::string plan;
  std::string device_dir;
  std::string store;  ///< empty: the plan's name with .sqlite
  std::string csv;
  std::string json;
  std::optional<std::size_t> jobs;  ///< 0: one for each CPU; of several ranks one is usual
  SweepShard shard;
  bool dry_run = false;
  std::vector<std::string> merge;  ///< stores of shards
  std::string slurm;               ///< a script to write
  std::size_t shards = 1;          ///< of it
};

/// Does what is left of a plan, and prints or writes all results. Error: some are missing still.
[[nodiscard]] Status run_sweep(const SweepArguments& arguments);

}  // namespace framegov::cli

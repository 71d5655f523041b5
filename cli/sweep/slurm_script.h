// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace framegov::cli {

struct SlurmJob {
  std::string program;  ///< absolute, as all of these
  std::string plan;
  std::string device_dir;  ///< may be empty
  std::string store;       ///< shards are beside it: STORE.shard-K
  std::size_t shards = 1;
  std::size_t threads = 1;  ///< of each
};

/// The script of a job array for sbatch: an element for each shard of the plan, with a store of its
/// own. An element that Slurm starts again goes on where it was.
[[nodiscard]] std::string slurm_script(const SlurmJob& job);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/slurm_script.h"

namespace framegov::cli {

namespace {

/// As one word of a shell.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) {
    word += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return word + '\'';
}

}  // namespace

std::string slurm_script(const SlurmJob& job) {
  const std::string count = std::to_string(job.shards);
  const std::string sweep =
      quoted(job.program) + " sweep " + quoted(job.plan) +
      (job.device_dir.empty() ? "" : " --device-dir " + quoted(job.device_dir));
  return "#!/bin/bash\n"
         "#SBATCH --job-name=framegov-sweep\n"
         "#SBATCH --array=1-" +
         count +
         "\n"
         "#SBATCH --ntasks=1\n"
         "#SBATCH --cpus-per-task=" +
         std::to_string(job.threads) +
         "\n"
         "#SBATCH --requeue\n"
         "# Afterwards: " +
         sweep + " --store " + quoted(job.store) + " --merge " + quoted(job.store) +
         ".shard-* --csv results.csv\n"
         "exec " +
         sweep +
         " \\\n"
         "  --store " +
         quoted(job.store) +
         ".shard-\"$SLURM_ARRAY_TASK_ID\" \\\n"
         "  --shard \"$SLURM_ARRAY_TASK_ID/" +
         count + "\" --jobs \"${SLURM_CPUS_PER_TASK:-1}\"\n";
}

}  // namespace framegov::cli

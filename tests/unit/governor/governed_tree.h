// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "config/settings.h"
#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/topology_reader.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::test {

/// Of a service that has the tree and keeps its own files in the folder.
inline ServiceSettings settings_of(const TemporaryCpufreqTree& tree,
                                   const TemporaryFolder& folder) {
  ServiceSettings settings;
  settings.cpu_root = tree.root();
  settings.proc_root = folder.path() / "proc";
  settings.state_dir = folder.path() / "state";
  settings.log_file = folder.path() / "log";
  return settings;
}

/// What governs a cpufreq tree, and its CPUs.
struct GovernedTree {
  CpuTopology topology;
  std::unique_ptr<Actuator> actuator;
};

/// Error: whatever the tree, its topology, the state folder or the actuator fails with.
inline Result<GovernedTree> govern_tree(const std::filesystem::path& cpu_root,
                                        const std::filesystem::path& state_dir, std::string boot_id,
                                        Log& log) {
  FRAMEGOV_TRY(auto tree, CpufreqTree::open(cpu_root));
  FRAMEGOV_TRY(auto reading, read_topology(tree, {}));
  FRAMEGOV_TRY(auto state, StateDir::open(state_dir));
  FRAMEGOV_TRY(auto actuator, Actuator::create(std::move(tree), reading.topology, std::move(state),
                                               std::move(boot_id), log));
  return GovernedTree{reading.topology, std::move(actuator)};
}

}  // namespace framegov::test

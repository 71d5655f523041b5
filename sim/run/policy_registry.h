// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "policy/policy.h"
#include "policy/policy_factory.h"

namespace framegov::sim {

/// A policy that can be simulated.
struct PolicyEntry {
  std::string name;
  std::string summary;
  bool watches_frames = true;  ///< woken by each frame: pays for it
  std::function<std::unique_ptr<Policy>(const CpuTopology&, const PolicySettings&)> make;
  bool is_fixed = false;  ///< has one plan for good
  bool per_app = false;   ///< an object for each app, as in the service
};

/// All policies: the service's own and what they are compared with. One line here adds one.
[[nodiscard]] const std::vector<PolicyEntry>& policy_registry();

/// The entry called `name`; an unknown one is an error that lists all.
[[nodiscard]] Result<const PolicyEntry*> find_policy(std::string_view name);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "policy/mpc_settings.h"
#include "policy/pid_settings.h"
#include "policy/policy.h"

namespace framegov {

/// What policies are built with besides the phone.
struct PolicySettings {
  PidSettings pid;
  MpcSettings mpc;
};

/// Names that make_policy() knows.
[[nodiscard]] std::span<const std::string_view> policy_names();

/// The policy called `name` for `topology` (every cluster with at least one OPP). An unknown name
/// is an error that lists the known ones.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view name,
                                                          const CpuTopology& topology,
                                                          const PolicySettings& settings);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_factory.h"

#include <array>
#include <string>

#include "policy/mpc_policy.h"
#include "policy/pid_policy.h"

namespace framegov {

namespace {

constexpr std::array<std::string_view, 2> kNames = {"pid", "mpc"};

}  // namespace

std::span<const std::string_view> policy_names() { return kNames; }

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const CpuTopology& topology,
                                            const PolicySettings& settings) {
  if (name == "pid") {
    return std::make_unique<PidPolicy>(topology, settings.pid);
  }
  if (name == "mpc") {
    return std::make_unique<MpcPolicy>(topology, settings.mpc);
  }
  std::string known;
  for (const std::string_view each : kNames) {
    known += known.empty() ? "" : ", ";
    known += each;
  }
  return fail(ExitCode::kBadInput, "no policy is called '" + std::string(name) + "'",
              "known policies: " + known);
}

}  // namespace framegov

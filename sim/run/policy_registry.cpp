// SPDX-License-Identifier: Apache-2.0
#include "sim/run/policy_registry.h"

#include "sim/rivals/rivals.h"
#include "sim/rivals/stock_policies.h"

namespace framegov::sim {

namespace {

PolicyEntry fixed(std::string name, std::string summary, FixedPolicy::Kind kind) {
  return {std::move(name), std::move(summary), false,
          [kind](const CpuTopology& topology, const PolicySettings&) -> std::unique_ptr<Policy> {
            return std::make_unique<FixedPolicy>(kind, topology);
          },
          true};
}

std::vector<PolicyEntry> all_policies() {
  std::vector<PolicyEntry> all;
  all.push_back(fixed("schedutil", "the kernel's governor alone", FixedPolicy::Kind::kSchedutil));
  all.push_back({"schedutil-boost",
                 "what phones ship: a floor at 60 % for 500 ms after each touch or burst", false,
                 [](const CpuTopology& topology, const PolicySettings&) -> std::unique_ptr<Policy> {
                   return std::make_unique<BoostPolicy>(topology);
                 }});
  all.push_back(fixed("performance", "every cluster at its top", FixedPolicy::Kind::kPerformance));
  all.push_back(fixed("powersave", "every cluster at its lowest", FixedPolicy::Kind::kPowersave));
  // The service's own policies come from its own factory, so the two cannot differ.
  for (const std::string_view name : policy_names()) {
    all.push_back({std::string(name), "the service's own", true,
                   [name](const CpuTopology& topology, const PolicySettings& settings) {
                     return std::move(*make_policy(name, topology, settings));
                   },
                   /*is_fixed=*/false, /*per_app=*/true});
  }
  for (const std::string_view name : sim::rival_names()) {
    all.push_back({std::string(name), "another project's, from its description", true,
                   [name](const CpuTopology& topology, const PolicySettings&) {
                     return std::move(*sim::make_rival(name, topology));
                   }});
  }
  return all;
}

}  // namespace

const std::vector<PolicyEntry>& policy_registry() {
  static const std::vector<PolicyEntry> kAll = all_policies();
  return kAll;
}

Result<const PolicyEntry*> find_policy(std::string_view name) {
  std::string known;
  for (const PolicyEntry& entry : policy_registry()) {
    if (entry.name == name) {
      return &entry;
    }
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  return fail(ExitCode::kUsage, "no policy is called '" + std::string(name) + "'",
              "known policies: " + known);
}

}  // namespace framegov::sim

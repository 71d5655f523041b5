// SPDX-License-Identifier: Apache-2.0
#include "sim/run/policy_registry.h"

#include "base/unknown_name.h"
#include "sim/rivals/rivals.h"
#include "sim/rivals/stock_policies.h"

namespace framegov::sim {

namespace {

PolicyEntry fixed(std::string name, std::string summary, FixedPolicy::Kind kind) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .make = [kind](const CpuTopology& topology, const PolicySettings&)
              -> std::unique_ptr<Policy> { return std::make_unique<FixedPolicy>(kind, topology); },
          .is_fixed = true};
}

std::vector<PolicyEntry> all_policies() {
  std::vector<PolicyEntry> all;
  all.push_back(fixed("schedutil", "the kernel's governor alone", FixedPolicy::Kind::kSchedutil));
  all.push_back(
      {.name = "schedutil-boost",
       .summary = "what phones ship: a floor at 60 % for 500 ms after each touch or burst",
       .make = [](const CpuTopology& topology, const PolicySettings&) -> std::unique_ptr<Policy> {
         return std::make_unique<BoostPolicy>(topology);
       }});
  all.push_back(fixed("performance", "every cluster at its top", FixedPolicy::Kind::kPerformance));
  all.push_back(fixed("powersave", "every cluster at its lowest", FixedPolicy::Kind::kPowersave));
  // The service's own policies come from its own factory, so the two cannot differ.
  for (const PolicyKind& kind : policy_kinds()) {
    all.push_back({.name = std::string(kind.name),
                   .summary = "the service's own",
                   .make = kind.make,
                   .watches_frames = true,
                   .per_app = true});
  }
  for (const std::string_view name : rival_names()) {
    all.push_back(
        {.name = std::string(name),
         .summary = "another project's, from its description",
         .make = [name](const CpuTopology& topology,
                        const PolicySettings&) { return std::move(*make_rival(name, topology)); },
         .watches_frames = true});
  }
  return all;
}

}  // namespace

const std::vector<PolicyEntry>& policy_registry() {
  static const std::vector<PolicyEntry> kAll = all_policies();
  return kAll;
}

Result<const PolicyEntry*> find_policy(std::string_view name) {
  Names known;
  for (const PolicyEntry& entry : policy_registry()) {
    if (entry.name == name) {
      return &entry;
    }
    known.push_back(entry.name);
  }
  return fail_unknown(ExitCode::kUsage, "policy", name, known);
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_factory.h"

#include <algorithm>

#include "base/unknown_name.h"
#include "policy/mpc_policy.h"
#include "policy/pid_policy.h"

namespace framegov {

namespace {

/// Where a member of one policy's settings stands in all of them.
template <auto kPolicy, auto kMember>
PolicyParameter::Place at(PolicySettings& settings) {
  return &(settings.*kPolicy.*kMember);
}
template <auto kMember>
constexpr auto kPid = at<&PolicySettings::pid, kMember>;
template <auto kMember>
constexpr auto kMpc = at<&PolicySettings::mpc, kMember>;

std::vector<PolicyKind> shipped_policies() {
  return {
      {.name = "pid",
       .parameters = {{"margin", 0, 0.5, kPid<&PidSettings::margin>},
                      {"proportional_gain", 0, 2, kPid<&PidSettings::proportional_gain>},
                      {"integral_gain", 0.01, 2, kPid<&PidSettings::integral_gain>},
                      {"derivative_gain", 0, 2, kPid<&PidSettings::derivative_gain>},
                      {"envelope_rise", 0.01, 1, kPid<&PidSettings::envelope_rise>},
                      {"envelope_decay", 0.001, 1, kPid<&PidSettings::envelope_decay>},
                      {"escalate_after", 0, 1, kPid<&PidSettings::escalate_after>},
                      {"cap_headroom", 1, 4, kPid<&PidSettings::cap_headroom>},
                      {"still_after_intervals", 2, 120, kPid<&PidSettings::still_after_intervals>},
                      {"background_floor", 0, 1, kPid<&PidSettings::background_floor>},
                      {"ui_share", 0.1, 1, kPid<&PidSettings::ui_share>}},
       .make = [](const CpuTopology& topology,
                  const PolicySettings& settings) -> std::unique_ptr<Policy> {
         return std::make_unique<PidPolicy>(topology, settings.pid);
       }},
      {.name = "mpc",
       .parameters = {{"eps", 0.0001, 0.2, kMpc<&MpcSettings::eps>},
                      {"margin", 0, 0.5, kMpc<&MpcSettings::margin>},
                      {"parts", 1, 4, kMpc<&MpcSettings::parts>},
                      {"latency", 0, 10, kMpc<&MpcSettings::latency>},
                      {"reserve", 0, 10, kMpc<&MpcSettings::reserve>},
                      {"still_after_intervals", 2, 120, kMpc<&MpcSettings::still_after_intervals>},
                      {"background_floor", 0, 1, kMpc<&MpcSettings::background_floor>},
                      {"placement", 0, 2, kMpc<&MpcSettings::placement>}},
       .make = [](const CpuTopology& topology,
                  const PolicySettings& settings) -> std::unique_ptr<Policy> {
         return std::make_unique<MpcPolicy>(topology, settings.mpc);
       }},
  };
}

std::vector<PolicyKind>& all_kinds() {
  static std::vector<PolicyKind> kinds = shipped_policies();
  return kinds;
}

}  // namespace

double PolicyParameter::in(PolicySettings settings) const {
  const Place at = place(settings);
  if (const Duration* const* time = std::get_if<Duration*>(&at)) {
    return to_ms(**time);
  }
  const double* const* number = std::get_if<double*>(&at);
  return number != nullptr ? **number : *std::get<int*>(at);
}

void PolicyParameter::set(PolicySettings& settings, double value) const {
  const Place at = place(settings);
  if (Duration* const* time = std::get_if<Duration*>(&at)) {
    **time = seconds_to_duration(value / 1e3);
  } else if (double* const* number = std::get_if<double*>(&at)) {
    **number = value;
  } else {
    *std::get<int*>(at) = static_cast<int>(value);
  }
}

const PolicyParameter* PolicyKind::parameter(std::string_view wanted) const {
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [wanted](const PolicyParameter& each) { return each.name == wanted; });
  return found == parameters.end() ? nullptr : &*found;
}

const std::vector<PolicyKind>& policy_kinds() { return all_kinds(); }

std::vector<std::string_view> policy_names() {
  std::vector<std::string_view> names;
  for (const PolicyKind& kind : policy_kinds()) {
    names.push_back(kind.name);
  }
  return names;
}

const PolicyKind* policy_kind(std::string_view name) {
  const auto& kinds = policy_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [name](const PolicyKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

void add_policy(PolicyKind kind) { all_kinds().push_back(std::move(kind)); }

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const CpuTopology& topology,
                                            const PolicySettings& settings) {
  if (const PolicyKind* kind = policy_kind(name)) {
    return kind->make(topology, settings);
  }
  return fail_unknown(ExitCode::kBadInput, "policy", name, policy_names());
}

}  // namespace framegov

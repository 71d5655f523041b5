// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <any>
#include <map>
#include <memory>
#include <string_view>
#include <typeindex>
#include <variant>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "policy/mpc_settings.h"
#include "policy/pid_settings.h"
#include "policy/policy.h"

namespace framegov {

/// What policies are built with besides the phone: a struct for each.
struct PolicySettings {
  PidSettings pid;
  MpcSettings mpc;
  std::map<std::type_index, std::any> others;  ///< read and written by of()

  /// The settings, of type T, of a policy that has no member here.
  template <class T>
  [[nodiscard]] T& of() {
    std::any& place = others[typeid(T)];
    return place.has_value() ? *std::any_cast<T>(&place) : place.emplace<T>();
  }
  template <class T>
  [[nodiscard]] T of() const {
    const auto found = others.find(typeid(T));
    return found == others.end() ? T{} : std::any_cast<T>(found->second);
  }
};

/// A setting of a policy that a configuration can change: it stands in a section that is called as
/// the policy is. An app's profile lays its own value over a parameter of the same name.
struct PolicyParameter {
  using Place = std::variant<double*, int*, Duration*>;

  std::string_view name;
  double low{};  ///< of a Duration: ms
  double high{};
  Place (*place)(PolicySettings& settings) = nullptr;

  /// Its value; of a Duration: ms.
  [[nodiscard]] double in(PolicySettings settings) const;
  void set(PolicySettings& settings, double value) const;
};

/// All that the programs know of a policy.
struct PolicyKind {
  using Maker = std::unique_ptr<Policy> (*)(const CpuTopology&, const PolicySettings&);

  std::string_view name;
  std::vector<PolicyParameter> parameters;
  Maker make = nullptr;

  /// Null where it has none of that name.
  [[nodiscard]] const PolicyParameter* parameter(std::string_view wanted) const;
};

/// The policies that configurations, profiles and the simulator can name.
[[nodiscard]] const std::vector<PolicyKind>& policy_kinds();
[[nodiscard]] std::vector<std::string_view> policy_names();
/// Null: none is called so.
[[nodiscard]] const PolicyKind* policy_kind(std::string_view name);

/// Adds one of a program's own, before any configuration is read. Not while others look.
void add_policy(PolicyKind kind);

/// The policy called `name` for `topology` (every cluster with at least one OPP). An unknown name
/// is an error that lists the known ones.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_policy(std::string_view name,
                                                          const CpuTopology& topology,
                                                          const PolicySettings& settings);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/cpu_topology.h"
#include "config/settings.h"
#include "policy/bounded_policy.h"

namespace framegov {

/// What holds for one app in one mode, and where each value came from.
struct EffectiveProfile : ProfileFields<Sourced> {
  std::string package;
  std::string mode;
  Sourced<std::string> entry;  ///< the entry of `apps` that fits; empty: none
  Sourced<std::string> kind;   ///< empty: none
};

/// The values of `settings`, laid over one another, the later before the earlier: the sections of
/// the policies, `defaults`, the mode (over those that it inherits from), the kind of app, the
/// kind's values in this mode, the app's entry, the entry's values in this mode. Pure.
[[nodiscard]] EffectiveProfile effective_profile(const Settings& settings, std::string_view mode,
                                                 std::string_view package);

/// What to build the profile's policy with.
[[nodiscard]] PolicySettings policy_settings(const EffectiveProfile& profile,
                                             const Settings& settings);

/// Within what the profile's policy is to work on this phone.
[[nodiscard]] PolicyBounds policy_bounds(const EffectiveProfile& profile,
                                         const CpuTopology& topology);

}  // namespace framegov

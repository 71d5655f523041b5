// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/frequency_limit.h"
#include "config/source_preference.h"
#include "policy/policy_factory.h"

namespace framegov {

/// What stands in the code, where a value came from otherwise: "file:line".
inline constexpr const char* kBuiltIn = "built in";

/// A value and where it was written.
template <class T>
struct Sourced {
  T value{};
  std::string origin = kBuiltIn;
};
template <class T>
using MaybeSourced = std::optional<Sourced<T>>;

/// Rates in frames per second, ascending; empty is `auto`: as fast as the app goes by itself.
using TargetFps = std::vector<double>;

/// Frequency limits by the clusters they are for (config/cluster_selector.h).
using FrequencyLimits = std::map<std::string, Sourced<FrequencyLimit>, std::less<>>;

/// What an app's profile can set. To add a setting: a member here, its row below, and what becomes
/// of it (policy_settings(), policy_bounds(), or the service). Reader, schema, effective values,
/// `profile show`, `explain`, the page's form and the test of docs/profiles.md follow the rows.
template <template <class> class Held>
struct ProfileFields {
  Held<bool> enabled;
  Held<std::string> policy;
  Held<SourcePreference> source;
  Held<TargetFps> target_fps;
  Held<double> eps;
  Held<double> margin;
  Held<double> background_floor;
  FrequencyLimits ceilings;
  FrequencyLimits floors;
};

/// What is said of every setting, in the schema and in docs/profiles.md.
struct ProfileField {
  std::string_view name;
  std::string_view what;
  std::string_view unless_set;
};
struct FlagField : ProfileField {
  bool usual{};
};
struct ChoiceField : ProfileField {
  std::vector<std::string_view> (*words)();  ///< of an enum: in its order
};
struct RatesField : ProfileField {};
/// A parameter of policies: unless set, what the app's policy has of this name in its own section.
struct NumberField : ProfileField {
  double low{};
  double high{};
  bool is_part{};  ///< written 10% too
};
struct LimitsField : ProfileField {};

/// Calls `visit(row, of.member...)` for every setting: with none, one or more of ProfileFields.
template <class Visitor, class... Fields>
void for_each_profile_field(Visitor&& visit, Fields&... of) {
  visit(FlagField{{"enabled", "false: the app is left uncapped", "`true`"}, true}, of.enabled...);
  visit(ChoiceField{{"policy", "the policy that plans its frames", "`policy` of the configuration"},
                    policy_names},
        of.policy...);
  visit(
      ChoiceField{{"source", "where its frames must be seen: auto, uprobes, surfaceflinger or none",
                   "`auto`"},
                  source_preferences},
      of.source...);
  visit(RatesField{{"target_fps", "auto, or 1 to 8 rates that it may be held to, such as [30, 60]",
                    "`auto`"}},
        of.target_fps...);
  visit(
      NumberField{
          {"eps",
           "part of the deadlines that may be missed, 0.0001 to 0.2, where the policy takes it",
           "eps of the policy"},
          0.0001,
          0.2,
          false},
      of.eps...);
  visit(
      NumberField{{"margin",
                   "kept free before the deadline, part of a frame's time: 10% or 0.1, up to half",
                   "margin of the policy"},
                  0,
                  0.5,
                  true},
      of.margin...);
  visit(NumberField{{"background_floor",
                     "the part of their top speed that clusters without a frame's threads may "
                     "always reach: 45% or 0.45",
                     "background_floor of the policy"},
                    0,
                    1,
                    true},
        of.background_floor...);
  visit(LimitsField{{"ceilings", "highest frequency while frames are made, by cluster", "none"}},
        of.ceilings...);
  visit(LimitsField{{"floors", "lowest frequency while frames are made, by cluster", "none"}},
        of.floors...);
}

}  // namespace framegov

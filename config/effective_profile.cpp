// SPDX-License-Identifier: Apache-2.0
#include "config/effective_profile.h"

#include <type_traits>
#include <utility>
#include <vector>

#include "config/cluster_selector.h"

namespace framegov {

namespace {

template <class T>
void lay_value(const MaybeSourced<T>& top, MaybeSourced<T>& under) {
  under = top ? top : under;
}

void lay_value(const FrequencyLimits& top, FrequencyLimits& under) {
  for (const auto& [cluster, limit] : top) {
    under.insert_or_assign(cluster, limit);
  }
}

void lay(const ProfileValues& top, ProfileValues& under) {
  for_each_profile_field(
      [](const auto& /*field*/, const auto& from, auto& to) { lay_value(from, to); }, top, under);
}

void lay_with_modes(const Profile& profile, const std::string& mode, ProfileValues& under) {
  lay(profile.values, under);
  if (const auto in_mode = profile.in_modes.find(mode); in_mode != profile.in_modes.end()) {
    lay(in_mode->second, under);
  }
}

/// Finds what holds of settings that no profile names.
struct Usual {
  const Settings& settings;
  std::string_view policy;  ///< the app's

  void take(const FlagField& field, Sourced<bool>& value) const { value.value = field.usual; }
  void take(const ChoiceField& /*policy*/, Sourced<std::string>& value) const {
    value = {settings.policy, settings.origins.policy};
  }
  /// Of a policy without this parameter: what the first that has one would do.
  void take(const NumberField& field, Sourced<double>& value) const {
    const PolicyKind* kind = policy_kind(policy);
    for (const PolicyKind& other : policy_kinds()) {
      kind = kind != nullptr && kind->parameter(field.name) != nullptr ? kind : &other;
    }
    if (const PolicyParameter* parameter = kind->parameter(field.name)) {
      value = {parameter->in(settings.policies), settings.origins.of(*kind, *parameter)};
    }
  }
  template <class Field, class T>
  void take(const Field& /*field*/, Sourced<T>& /*value*/) const {}
};

/// `laid` with what holds where it says nothing.
void resolve(ProfileValues&& laid, const Usual& usual, EffectiveProfile& profile) {
  const auto settle = [&usual](const auto& field, auto& from, auto& to) {
    if constexpr (std::is_same_v<std::decay_t<decltype(from)>, FrequencyLimits>) {
      to = std::move(from);
    } else if (from) {
      to = *std::move(from);
    } else {
      usual.take(field, to);
    }
  };
  ProfileFields<Sourced>& fields = profile;
  for_each_profile_field(settle, laid, fields);
}

/// The mode and those that it inherits from, the farthest first.
std::vector<const Profile*> mode_chain(const ProfileMap& modes, const std::string& mode) {
  std::vector<const Profile*> chain;
  auto at = modes.find(mode);
  while (at != modes.end() && chain.size() < modes.size()) {
    chain.insert(chain.begin(), &at->second);
    at = at->second.base ? modes.find(at->second.base->value) : modes.end();
  }
  return chain;
}

}  // namespace

EffectiveProfile effective_profile(const Settings& settings, std::string_view mode,
                                   std::string_view package) {
  const Profiles& profiles = settings.profiles;
  EffectiveProfile profile;
  profile.package = package;
  profile.mode = mode;
  ProfileValues laid;
  lay(profiles.defaults, laid);
  for (const Profile* each : mode_chain(profiles.modes, profile.mode)) {
    lay(each->values, laid);
  }
  if (const auto* entry = find_app(profiles, package)) {
    profile.entry = {entry->first, entry->second.origin};
    if (entry->second.base) {
      profile.kind = *entry->second.base;
      const auto kind = profiles.kinds.find(profile.kind.value);
      if (kind != profiles.kinds.end()) {
        lay_with_modes(kind->second, profile.mode, laid);
      }
    }
    lay_with_modes(entry->second, profile.mode, laid);
  }
  const std::string policy = laid.policy ? laid.policy->value : settings.policy;
  resolve(std::move(laid), {settings, policy}, profile);
  return profile;
}

PolicySettings policy_settings(const EffectiveProfile& profile, const Settings& settings) {
  PolicySettings policies = settings.policies;
  const PolicyKind* kind = policy_kind(profile.policy.value);
  const auto hand_over = [&](const auto& field, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, NumberField>) {
      if (const auto* parameter = kind != nullptr ? kind->parameter(field.name) : nullptr) {
        parameter->set(policies, value.value);
      }
    }
  };
  const ProfileFields<Sourced>& fields = profile;
  for_each_profile_field(hand_over, fields);
  return policies;
}

PolicyBounds policy_bounds(const EffectiveProfile& profile, const CpuTopology& topology) {
  PolicyBounds bounds;
  bounds.clusters = cluster_bounds(profile.ceilings, profile.floors, topology);
  for (const double rate : profile.target_fps.value) {
    bounds.target_fps.push_back(rate);
  }
  return bounds;
}

}  // namespace framegov

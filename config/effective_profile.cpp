// SPDX-License-Identifier: Apache-2.0
#include "config/effective_profile.h"

#include <vector>

#include "config/cluster_selector.h"

namespace framegov {

namespace {

template <class T>
void lay(const std::optional<T>& top, T& target) {
  if (top) {
    target = *top;
  }
}

void lay(const FrequencyLimits& top, FrequencyLimits& target) {
  for (const auto& [cluster, limit] : top) {
    target.insert_or_assign(cluster, limit);
  }
}

/// eps and margin stay open until the policy is known, whose own values they go over.
struct OpenValues {
  std::optional<Sourced<double>> eps;
  std::optional<Sourced<double>> margin;
};

void lay(const ProfileValues& top, EffectiveProfile& target, OpenValues& open) {
  lay(top.enabled, target.enabled);
  lay(top.policy, target.policy);
  lay(top.source, target.source);
  lay(top.target_fps, target.target_fps);
  lay(top.ceilings, target.ceilings);
  lay(top.floors, target.floors);
  open.eps = top.eps ? top.eps : open.eps;
  open.margin = top.margin ? top.margin : open.margin;
}

void lay_with_modes(const Profile& profile, EffectiveProfile& target, OpenValues& open) {
  lay(profile.values, target, open);
  if (const auto in_mode = profile.in_modes.find(target.mode); in_mode != profile.in_modes.end()) {
    lay(in_mode->second, target, open);
  }
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
  profile.policy = {settings.policy, settings.origins.policy};
  OpenValues open;
  lay(profiles.defaults, profile, open);
  for (const Profile* each : mode_chain(profiles.modes, profile.mode)) {
    lay(each->values, profile, open);
  }
  if (const auto* entry = find_app(profiles, package)) {
    profile.entry = {entry->first, entry->second.origin};
    if (entry->second.base) {
      profile.kind = *entry->second.base;
      const auto kind = profiles.kinds.find(profile.kind.value);
      if (kind != profiles.kinds.end()) {
        lay_with_modes(kind->second, profile, open);
      }
    }
    lay_with_modes(entry->second, profile, open);
  }
  const bool pid = profile.policy.value == "pid";
  profile.eps =
      open.eps.value_or(Sourced<double>{settings.policies.mpc.eps, settings.origins.mpc_eps});
  profile.margin = open.margin.value_or(
      pid ? Sourced<double>{settings.policies.pid.margin, settings.origins.pid_margin}
          : Sourced<double>{settings.policies.mpc.margin, settings.origins.mpc_margin});
  return profile;
}

PolicySettings policy_settings(const EffectiveProfile& profile, const Settings& settings) {
  PolicySettings policies = settings.policies;
  policies.mpc.eps = profile.eps.value;
  (profile.policy.value == "pid" ? policies.pid.margin : policies.mpc.margin) =
      profile.margin.value;
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

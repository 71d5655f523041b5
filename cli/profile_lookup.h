// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "config/load.h"
#include "governor/profiles/profile_control.h"

namespace framegov::cli {

/// The configuration, and what is switched by hand where that can be read.
struct LoadedProfiles {
  Settings settings;
  std::optional<OwnerSwitches> switches;

  /// The mode that is chosen for `package`; without one, for all.
  [[nodiscard]] std::string mode(const std::string& package = {}) const;
  [[nodiscard]] EffectiveProfile profile(const std::string& mode, const std::string& package) const;
};

/// `config`: the service's YAML file; empty: the phone's own, if there is one. With a draft: as
/// things would be with it.
[[nodiscard]] Result<LoadedProfiles> load_profiles(const std::string& config,
                                                   const ProfileDraft& draft = {});

}  // namespace framegov::cli

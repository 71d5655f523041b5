// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "config/profile_fields.h"

namespace framegov {

/// What one place in the configuration says of apps. What it leaves out comes from the place that
/// it is laid over.
using ProfileValues = ProfileFields<MaybeSourced>;

/// A mode, a kind of app, or an app's entry.
struct Profile {
  std::string origin;
  /// A mode: the mode it is laid over. An entry: its kind of app.
  std::optional<Sourced<std::string>> base;
  /// An entry: the mode that holds for it whatever mode holds for others.
  std::optional<Sourced<std::string>> mode;
  ProfileValues values;
  /// What holds besides in a mode; not in modes themselves.
  std::map<std::string, ProfileValues, std::less<>> in_modes;
};

using ProfileMap = std::map<std::string, Profile, std::less<>>;

/// States of the phone that choose a mode while they last; without a mode they change nothing.
struct ModeConditions {
  std::optional<Sourced<std::string>> battery_saver;
  std::optional<Sourced<std::string>> screen_off;
};

/// The section `profiles`: of the shipped file, the configuration and the profiles folder, each
/// laid over the one before, key by key. docs/profiles.md explains it.
struct Profiles {
  Sourced<std::string> mode{"balance", kBuiltIn};  ///< unless the owner has chosen one by hand
  ModeConditions when;
  ProfileValues defaults;
  ProfileMap modes;
  ProfileMap kinds;
  ProfileMap apps;  ///< by package name or glob
};

/// Does `text` fit `pattern`, in which `*` is any text and `?` any letter? Linear in both but for
/// their product at worst.
[[nodiscard]] bool glob_matches(std::string_view pattern, std::string_view text);

/// The entry for `package`: the one of that very name; otherwise, of the globs that fit, the one
/// with the most letters that are no `*` or `?`, and of those the alphabetically first. Null: none.
[[nodiscard]] const ProfileMap::value_type* find_app(const Profiles& profiles,
                                                     std::string_view package);

/// Every name in `profiles` that is used but not there, and modes laid over themselves, as
/// "file:line: what", a line each; empty when all is well.
[[nodiscard]] std::string reference_problems(const Profiles& profiles);

}  // namespace framegov

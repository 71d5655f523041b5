// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "cli/owner_texts.h"
#include "config/effective_profile.h"
#include "config/settings.h"
#include "governor/profiles/owner_switches.h"

namespace framegov::cli {

/// A setting of an app in words.
struct ProfileLine {
  std::string name;
  std::string value;
  std::string origin;
};
[[nodiscard]] std::vector<ProfileLine> lines_of(const EffectiveProfile& profile);

/// "com.example in mode fast: margin 10% (my.yaml:3), ..."; only what somebody wrote.
[[nodiscard]] std::string profile_sentence(const EffectiveProfile& profile,
                                           const OwnerTexts& texts = english_texts());

/// What holds for an app: a line for each value, with where it comes from.
void print_profile(const EffectiveProfile& profile, const OwnerTexts& texts, std::ostream& out);
/// `own`: the entry of the app's own file (OwnProfile::to_json()).
void print_profile_json(const EffectiveProfile& profile, const nlohmann::json& own,
                        std::ostream& out);

/// What changes for an app, a line each: "margin 5% -> 8%"; "nothing changes" where nothing does.
void print_changes(const EffectiveProfile& before, const EffectiveProfile& after,
                   const OwnerTexts& texts, std::ostream& out);

/// A file for others to install (`framegov profile add`): the values of `mine` that `shipped` has
/// otherwise, and the app's own mode. Empty: nothing differs. `mode` and `phone`, what it was tried
/// on in words, may be empty.
[[nodiscard]] std::string shared_profile(const EffectiveProfile& mine,
                                         const EffectiveProfile& shipped, const std::string& mode,
                                         const std::string& phone);

/// Modes, kinds of app and entries, with where they stand.
void print_profiles(const Settings& settings, const std::string& mode, const OwnerTexts& texts,
                    std::ostream& out);
/// With what is switched by hand.
void print_profiles_json(const Settings& settings, const OwnerSwitches& switches,
                         std::ostream& out);

}  // namespace framegov::cli

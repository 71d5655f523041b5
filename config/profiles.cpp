// SPDX-License-Identifier: Apache-2.0
#include "config/profiles.h"

#include <algorithm>

#include "base/text.h"
#include "base/unknown_name.h"

namespace framegov {

namespace {

std::size_t literal_letters(std::string_view pattern) {
  return static_cast<std::size_t>(
      std::count_if(pattern.begin(), pattern.end(), [](char c) { return c != '*' && c != '?'; }));
}

/// Collects "origin: 'what' ..." for names that are not there.
class References {
 public:
  void need(const ProfileMap& there, std::string_view what, const Sourced<std::string>& name) {
    if (!there.contains(name.value)) {
      Names known;
      for (const auto& [each, profile] : there) {
        known.push_back(each);
      }
      add(name.origin, unknown_name(what, name.value, known));
    }
  }

  void add(const std::string& origin, const std::string& text) {
    constexpr int kMost = 20;
    if (count_++ < kMost) {
      problems_ += (problems_.empty() ? "" : "\n") + printable(origin + ": " + text);
    }
  }

  [[nodiscard]] const std::string& text() const { return problems_; }

 private:
  std::string problems_;
  int count_ = 0;
};

void check_in_modes(const Profiles& profiles, const ProfileMap& map, References& references) {
  for (const auto& [name, profile] : map) {
    for (const auto& [mode, values] : profile.in_modes) {
      references.need(profiles.modes, "mode", {mode, profile.origin});
    }
  }
}

/// Is `mode` laid over itself, over however many others?
bool in_circle(const ProfileMap& modes, const std::string& mode) {
  auto at = modes.find(mode);
  for (std::size_t steps = 0; at != modes.end() && at->second.base; ++steps) {
    at = modes.find(at->second.base->value);
    if (steps > modes.size() || (at != modes.end() && at->first == mode)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last one passed, and where its text ends
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

const ProfileMap::value_type* find_app(const Profiles& profiles, std::string_view package) {
  if (const auto exact = profiles.apps.find(package); exact != profiles.apps.end()) {
    return &*exact;
  }
  const ProfileMap::value_type* best = nullptr;
  for (const auto& entry : profiles.apps) {
    if (glob_matches(entry.first, package) &&
        (best == nullptr || literal_letters(entry.first) > literal_letters(best->first))) {
      best = &entry;
    }
  }
  return best;
}

std::string reference_problems(const Profiles& profiles) {
  References references;
  references.need(profiles.modes, "mode", profiles.mode);
  for (const auto* condition : {&profiles.when.battery_saver, &profiles.when.screen_off}) {
    if (*condition) {
      references.need(profiles.modes, "mode", **condition);
    }
  }
  for (const auto& [name, mode] : profiles.modes) {
    if (mode.base) {
      references.need(profiles.modes, "mode", *mode.base);
      if (in_circle(profiles.modes, name)) {
        references.add(mode.base->origin, "mode '" + name + "' is laid over itself");
      }
    }
  }
  for (const auto& [pattern, app] : profiles.apps) {
    if (app.base) {
      references.need(profiles.kinds, "kind of app", *app.base);
    }
    if (app.mode) {
      references.need(profiles.modes, "mode", *app.mode);
    }
  }
  check_in_modes(profiles, profiles.kinds, references);
  check_in_modes(profiles, profiles.apps, references);
  return references.text();
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_output.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "base/json_text.h"
#include "cli/text_line.h"
#include "governor/profiles/profile_control.h"

namespace framegov::cli {

namespace {

constexpr const char* kNoLimit = "none";  ///< in the place of a frequency

using OrderedJson = nlohmann::ordered_json;

std::string to_text(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

std::string to_text(const TargetFps& rates) {
  std::string text;
  for (const double rate : rates) {
    text += (text.empty() ? "" : ", ") + to_text(rate);
  }
  return text.empty() ? "auto" : text;
}

// Of each kind of row: its value for people.
std::string words_of(const FlagField& /*field*/, bool value) { return value ? "true" : "false"; }
std::string words_of(const ChoiceField& /*field*/, const std::string& value) { return value; }
std::string words_of(const ChoiceField& /*field*/, SourcePreference value) {
  return std::string(framegov::to_string(value));
}
std::string words_of(const RatesField& /*field*/, const TargetFps& value) { return to_text(value); }
std::string words_of(const NumberField& field, double value) {
  return field.is_part ? to_text(value * 100) + "%" : to_text(value);
}

void add_lines(std::vector<ProfileLine>& lines, const LimitsField& field,
               const FrequencyLimits& limits) {
  if (limits.empty()) {
    lines.push_back({std::string(field.name), kNoLimit, kBuiltIn});
  }
  for (const auto& [cluster, limit] : limits) {
    lines.push_back(
        {std::string(field.name) + "." + cluster, framegov::to_text(limit.value), limit.origin});
  }
}
template <class Field, class T>
void add_lines(std::vector<ProfileLine>& lines, const Field& field, const Sourced<T>& held) {
  lines.push_back({std::string(field.name), words_of(field, held.value), held.origin});
}

template <class T>
OrderedJson sourced(const T& value, const std::string& origin) {
  return {{"value", value}, {"origin", origin}};
}

OrderedJson json_of(const FrequencyLimits& limits) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [cluster, limit] : limits) {
    json[cluster] = sourced(framegov::to_text(limit.value), limit.origin);
  }
  return json;
}
OrderedJson json_of(const Sourced<SourcePreference>& held) {
  return sourced(framegov::to_string(held.value), held.origin);
}
template <class T>
OrderedJson json_of(const Sourced<T>& held) {
  return sourced(held.value, held.origin);
}

OrderedJson profile_json(const Profile& profile) {
  OrderedJson json = {{"origin", profile.origin}};
  if (profile.base) {
    json["base"] = profile.base->value;
  }
  if (profile.mode) {
    json["mode"] = profile.mode->value;
  }
  return json;
}

/// What is switched by hand: {"com.a": {"on": false, "mode": "fast"}}, each where it is.
OrderedJson switches_json(const OwnerSwitches& switches) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [package, on] : switches.apps()) {
    json[package]["on"] = on;
  }
  for (const auto& [package, mode] : switches.app_modes()) {
    json[package]["mode"] = mode;
  }
  return json;
}

void print(const OrderedJson& json, std::ostream& out) { out << json_text(json) << '\n'; }

std::string origin_words(const std::string& origin, const OwnerTexts& texts) {
  return code_words("origin_", origin, texts);
}

/// `base`: the text for what an entry is made over.
void print_map(const char* title, const ProfileMap& map, const char* base, const OwnerTexts& texts,
               std::ostream& out) {
  constexpr std::size_t kNameWidth = 34;
  constexpr std::size_t kBaseWidth = 20;
  out << texts.text(title) << '\n';
  for (const auto& [name, profile] : map) {
    const std::string over =
        profile.base ? texts.text(base, {{"name", profile.base->value}}) : std::string();
    out << "  " << padded(name, kNameWidth) << ' ' << padded(over, kBaseWidth) << ' '
        << origin_words(profile.origin, texts) << '\n';
  }
}

}  // namespace

std::vector<ProfileLine> lines_of(const EffectiveProfile& profile) {
  std::vector<ProfileLine> lines;
  const ProfileFields<Sourced>& fields = profile;
  for_each_profile_field(
      [&lines](const auto& field, const auto& value) { add_lines(lines, field, value); }, fields);
  return lines;
}

namespace {

/// "com.example in mode fast"
std::string in_mode(const EffectiveProfile& profile, const OwnerTexts& texts) {
  return texts.text("cli_inMode", {{"app", profile.package}, {"mode", profile.mode}});
}

}  // namespace

std::string profile_sentence(const EffectiveProfile& profile, const OwnerTexts& texts) {
  std::string set;
  for (const ProfileLine& line : lines_of(profile)) {
    if (line.origin != kBuiltIn) {
      set += (set.empty() ? "" : ", ") + line.name + " " + line.value + " (" +
             origin_words(line.origin, texts) + ")";
    }
  }
  return in_mode(profile, texts) + ": " + (set.empty() ? texts.text("cli_allBuiltIn") : set);
}

void print_profile(const EffectiveProfile& profile, const OwnerTexts& texts, std::ostream& out) {
  constexpr std::size_t kNameWidth = 18;
  constexpr std::size_t kValueWidth = 26;
  out << in_mode(profile, texts) << '\n';
  const auto print = [&](const ProfileLine& line) {
    const std::string value = line.value == kNoLimit ? texts.text("none") : line.value;
    out << "  " << padded(line.name, kNameWidth) << ' ' << padded(value, kValueWidth) << ' '
        << origin_words(line.origin, texts) << '\n';
  };
  const auto print_place = [&](const char* name, const Sourced<std::string>& place,
                               const char* none) {
    print(place.value.empty() ? ProfileLine{texts.text(name), texts.text(none), ""}
                              : ProfileLine{texts.text(name), place.value, place.origin});
  };
  print_place("cli_entry", profile.entry, "cli_entryNone");
  print_place("cli_kind", profile.kind, "none");
  const auto lines = lines_of(profile);
  std::for_each(lines.begin(), lines.end(), print);
}

void print_profile_json(const EffectiveProfile& profile, const nlohmann::json& own,
                        std::ostream& out) {
  OrderedJson json = {
      {"package", profile.package}, {"mode", profile.mode}, {"entry", nullptr}, {"kind", nullptr}};
  if (!profile.entry.value.empty()) {
    json["entry"] = json_of(profile.entry);
  }
  if (!profile.kind.value.empty()) {
    json["kind"] = json_of(profile.kind);
  }
  const ProfileFields<Sourced>& fields = profile;
  for_each_profile_field(
      [&json](const auto& field, const auto& value) {
        json[std::string(field.name)] = json_of(value);
      },
      fields);
  json["own"] = own;
  print(json, out);
}

namespace {

using Values = std::map<std::string, std::string>;

/// Kind and settings by name, as `profile set` takes them.
Values values_of(const EffectiveProfile& profile) {
  Values values;
  if (!profile.kind.value.empty()) {
    values["kind"] = profile.kind.value;
  }
  for (const ProfileLine& line : lines_of(profile)) {
    if (line.value != kNoLimit || line.origin != kBuiltIn) {  // no limit is no line
      values[line.name] = line.value;
    }
  }
  return values;
}

/// Names of `values` that `others` has not, or otherwise.
Values missing_in(const Values& others, const Values& values) {
  Values missing;
  for (const auto& [name, value] : values) {
    const auto found = others.find(name);
    if (found == others.end() || found->second != value) {
      missing[name] = value;
    }
  }
  return missing;
}

}  // namespace

void print_changes(const EffectiveProfile& before, const EffectiveProfile& after,
                   const OwnerTexts& texts, std::ostream& out) {
  const Values was = values_of(before);
  const Values is = values_of(after);
  const auto value = [&texts](const Values& values, const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? texts.text("cli_noValue") : found->second;
  };
  Values changed = missing_in(was, is);
  changed.merge(missing_in(is, was));
  if (before.mode != after.mode) {
    out << "  mode " << before.mode << " -> " << after.mode << '\n';
  }
  for (const auto& [name, ignored] : changed) {
    out << "  " << name << ' ' << value(was, name) << " -> " << value(is, name) << '\n';
  }
  if (changed.empty() && before.mode == after.mode) {
    out << "  " << texts.text("cli_nothingChanges") << '\n';
  }
}

std::string shared_profile(const EffectiveProfile& mine, const EffectiveProfile& shipped,
                           const std::string& mode, const std::string& phone) {
  Values own = missing_in(values_of(shipped), values_of(mine));
  if (!mode.empty()) {
    own["mode"] = mode;
  }
  if (own.empty()) {
    return {};
  }
  std::string text =
      "# A profile for framegov: framegov profile add FILE checks and installs it.\n";
  text += "# framegov " FRAMEGOV_VERSION "\n";
  text += phone.empty() ? "" : "# tried on " + phone + "\n";
  text += "profiles:\n  apps:\n    " + mine.package + ":\n";
  std::string group;
  for (const auto& [name, value] : own) {
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos && name.substr(0, dot) != group) {
      group = name.substr(0, dot);
      text += "      " + group + ":\n";
    }
    const bool list = name == "target_fps" && value != "auto";
    text += (dot == std::string::npos ? "      " : "        ") +
            (dot == std::string::npos ? name : name.substr(dot + 1)) + ": " +
            (list ? "[" + value + "]" : value) + "\n";
  }
  return text;
}

void print_profiles(const Settings& settings, const std::string& mode, const OwnerTexts& texts,
                    std::ostream& out) {
  out << texts.text("cli_modeIs", {{"mode", mode}}) << '\n';
  print_map("cli_modes", settings.profiles.modes, "cli_overMode", texts, out);
  print_map("cli_kinds", settings.profiles.kinds, "cli_overMode", texts, out);
  print_map("cli_apps", settings.profiles.apps, "cli_ofKind", texts, out);
}

void print_profiles_json(const Settings& settings, const OwnerSwitches& switches,
                         std::ostream& out) {
  OrderedJson json = {{"mode", chosen_mode(settings, switches)},
                      {"switched", switches_json(switches)},
                      {"modes", OrderedJson::object()},
                      {"kinds", OrderedJson::object()},
                      {"apps", OrderedJson::object()}};
  const auto add = [&json](const char* key, const ProfileMap& map) {
    for (const auto& [name, profile] : map) {
      json[key][name] = profile_json(profile);
    }
  };
  add("modes", settings.profiles.modes);
  add("kinds", settings.profiles.kinds);
  add("apps", settings.profiles.apps);
  print(json, out);
}

}  // namespace framegov::cli

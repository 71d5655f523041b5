// SPDX-License-Identifier: Apache-2.0
#include "config/profile_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "config/cluster_selector.h"

namespace framegov {

namespace {

constexpr std::size_t kMostSelectors = 32;

bool is_word(std::string_view text, std::string_view more) {
  constexpr std::size_t kLongest = 128;
  return !text.empty() && text.size() <= kLongest &&
         std::all_of(text.begin(), text.end(), [more](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  more.find(c) != std::string_view::npos;
         });
}

/// Reads `key` by `read` into `target`, with where it stands, if it is there.
template <class T, class Read>
void take(MapReader& map, std::string_view key, std::optional<Sourced<T>>& target, Read read) {
  if (map.has(key)) {
    T value{};
    read(value);
    target = Sourced<T>{std::move(value), map.origin(key)};
  }
}

void take_name(MapReader& map, std::string_view key, std::optional<Sourced<std::string>>& target) {
  take(map, key, target, [&](std::string& name) {
    const YAML::Node node = map.value(key);
    if (!node.IsScalar() || !is_word(node.Scalar(), "_-")) {
      map.problem(key, "must be a name (letters, digits, '_' and '-')");
    } else {
      name = node.Scalar();
    }
  });
}

std::optional<double> rate_of(const YAML::Node& node) {
  double rate = 0;
  if (!node.IsScalar()) {
    return std::nullopt;
  }
  const std::string& text = node.Scalar();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && rate >= kLowestRate && rate <= kHighestRate ? std::optional(rate) : std::nullopt;
}

void read_rates(MapReader& map, std::string_view key, TargetFps& rates) {
  const YAML::Node node = map.value(key);
  if (node.IsScalar() && node.Scalar() == "auto") {
    return;
  }
  const bool is_list = node.IsSequence() && node.size() > 0 && node.size() <= kMostRates;
  for (std::size_t i = 0; is_list && i < node.size(); ++i) {
    if (const auto rate = rate_of(node[i])) {
      rates.push_back(*rate);
    }
  }
  if (!is_list || rates.size() != node.size()) {
    map.problem(key, "must be auto or a list of 1 to 8 rates in fps, such as [30, 60]");
  }
  std::sort(rates.begin(), rates.end());
}

void read_limits(MapReader map, FrequencyLimits& limits) {
  for (const std::string& name : map.names(kMostSelectors)) {
    const YAML::Node node = map.value(name);
    if (!is_cluster_selector(name)) {
      map.problem(name, "is not a cluster: all, little, mid, big, clusterN or policyN");
      continue;
    }
    const auto limit = node.IsScalar() ? parse_frequency_limit(node.Scalar()) : std::nullopt;
    if (!limit) {
      map.problem(name,
                  "must be a frequency with its unit (1.8GHz, 1800MHz), a part of the top "
                  "frequency (60%), or none");
      continue;
    }
    limits.insert_or_assign(name, Sourced<FrequencyLimit>{*limit, map.origin(name)});
  }
}

// Of each kind of row: the value at its key.
void read_row(MapReader& map, const FlagField& field, bool& value) { map.flag(field.name, value); }
void read_row(MapReader& map, const ChoiceField& field, std::string& value) {
  map.text(field.name, field.words(), value);
}
template <class Enum>
void read_row(MapReader& map, const ChoiceField& field, Enum& value) {
  std::string word;
  const auto words = field.words();
  map.text(field.name, words, word);
  if (const auto found = std::find(words.begin(), words.end(), word); found != words.end()) {
    value = static_cast<Enum>(found - words.begin());
  }
}
void read_row(MapReader& map, const RatesField& field, TargetFps& value) {
  read_rates(map, field.name, value);
}
void read_row(MapReader& map, const NumberField& field, double& value) {
  field.is_part ? map.part(field.name, field.low, field.high, value)
                : map.number(field.name, field.low, field.high, value);
}

void read_values(MapReader& map, ProfileValues& values) {
  const auto read = [&map](const auto& field, auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, LimitsField>) {
      read_limits(map.child(field.name), value);
    } else {
      take(map, field.name, value, [&](auto& plain) { read_row(map, field, plain); });
    }
  };
  for_each_profile_field(read, values);
}

/// The names of `map` that may stand there; the others are problems.
std::vector<std::string> good_names(MapReader& map, std::size_t most, std::string_view more,
                                    const std::string& rule) {
  std::vector<std::string> names = map.names(most);
  std::erase_if(names, [&](const std::string& name) {
    const bool bad = !is_word(name, more);
    if (bad) {
      map.problem(name, rule);
    }
    return bad;
  });
  return names;
}

constexpr const char* kNameRule = "must be letters, digits, '_' and '-'";
constexpr const char* kPatternRule =
    "must be a package name (letters, digits, '.', '_' and '-') or a glob of them with * and ?";

void read_in_modes(MapReader map, Profile& profile) {
  for (const std::string& mode : good_names(map, kMostModes, "_-", kNameRule)) {
    MapReader values = map.child(mode);
    read_values(values, profile.in_modes[mode]);
    values.finish();
  }
}

void read_modes(MapReader map, ProfileMap& modes) {
  for (const std::string& name : good_names(map, kMostModes, "_-", kNameRule)) {
    MapReader mode = map.child(name);
    Profile& profile = modes[name];
    profile.origin = map.origin(name);
    take_name(mode, "inherit", profile.base);
    read_values(mode, profile.values);
    mode.finish();
  }
}

void read_kinds(MapReader map, ProfileMap& kinds) {
  for (const std::string& name : good_names(map, kMostKinds, "_-", kNameRule)) {
    MapReader kind = map.child(name);
    Profile& profile = kinds[name];
    profile.origin = map.origin(name);
    read_values(kind, profile.values);
    read_in_modes(kind.child("modes"), profile);
    kind.finish();
  }
}

void read_apps(MapReader map, ProfileMap& apps) {
  for (const std::string& pattern : good_names(map, kMostApps, "._-:/*?", kPatternRule)) {
    if (apps.size() >= kMostApps && !apps.contains(pattern)) {
      map.problem(pattern, "is one too many: all files together may have " +
                               std::to_string(kMostApps) + " entries for apps");
      return;
    }
    if (map.problems().full()) {
      return;  // what follows would not be told, and may be long
    }
    MapReader app = map.child(pattern);
    Profile& profile = apps[pattern];
    profile.origin = map.origin(pattern);
    take_name(app, "kind", profile.base);
    take_name(app, "mode", profile.mode);
    read_values(app, profile.values);
    read_in_modes(app.child("modes"), profile);
    app.finish();
  }
}

}  // namespace

void read_profiles(MapReader map, Profiles& profiles) {
  std::optional<Sourced<std::string>> mode;
  take_name(map, "mode", mode);
  if (mode) {
    profiles.mode = *std::move(mode);
  }
  MapReader when = map.child("when");
  take_name(when, "battery_saver", profiles.when.battery_saver);
  take_name(when, "screen_off", profiles.when.screen_off);
  when.finish();
  MapReader defaults = map.child("defaults");
  read_values(defaults, profiles.defaults);
  defaults.finish();
  read_modes(map.child("modes"), profiles.modes);
  read_kinds(map.child("kinds"), profiles.kinds);
  read_apps(map.child("apps"), profiles.apps);
  map.finish();
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_output.h"
#include "base/json_text.h"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

namespace framegov::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// One value in words.
struct Line {
  std::string name;
  std::string value;
  std::string origin;
};

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

void add_limits(std::vector<Line>& lines, const std::string& name, const FrequencyLimits& limits) {
  if (limits.empty()) {
    lines.push_back({name, "none", kBuiltIn});
  }
  for (const auto& [cluster, limit] : limits) {
    lines.push_back({name + "." + cluster, framegov::to_text(limit.value), limit.origin});
  }
}

std::vector<Line> lines_of(const EffectiveProfile& profile) {
  std::vector<Line> lines = {
      {"entry", profile.entry.value.empty() ? "none fits" : profile.entry.value,
       profile.entry.value.empty() ? "" : profile.entry.origin},
      {"kind", profile.kind.value.empty() ? "none" : profile.kind.value,
       profile.kind.value.empty() ? "" : profile.kind.origin},
      {"enabled", profile.enabled.value ? "true" : "false", profile.enabled.origin},
      {"policy", profile.policy.value, profile.policy.origin},
      {"source", std::string(to_string(profile.source.value)), profile.source.origin},
      {"target_fps", to_text(profile.target_fps.value), profile.target_fps.origin},
      {"eps", to_text(profile.eps.value), profile.eps.origin},
      {"margin", to_text(profile.margin.value * 100) + "%", profile.margin.origin}};
  add_limits(lines, "ceilings", profile.ceilings);
  add_limits(lines, "floors", profile.floors);
  return lines;
}

template <class T>
OrderedJson sourced(const T& value, const std::string& origin) {
  return {{"value", value}, {"origin", origin}};
}

OrderedJson limits_json(const FrequencyLimits& limits) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [cluster, limit] : limits) {
    json[cluster] = sourced(framegov::to_text(limit.value), limit.origin);
  }
  return json;
}

OrderedJson profile_json(const Profile& profile) {
  OrderedJson json = {{"origin", profile.origin}};
  if (profile.base) {
    json["base"] = profile.base->value;
  }
  return json;
}

void print(const OrderedJson& json, std::ostream& out) { out << json_text(json) << '\n'; }

void print_map(const char* title, const ProfileMap& map, const char* base, std::ostream& out) {
  constexpr int kNameWidth = 34;
  constexpr int kBaseWidth = 20;
  out << title << '\n';
  for (const auto& [name, profile] : map) {
    const std::string over =
        profile.base ? std::string(base) + " " + profile.base->value : std::string();
    out << "  " << std::left << std::setw(kNameWidth) << name << ' ' << std::setw(kBaseWidth)
        << over << ' ' << profile.origin << '\n';
  }
}

}  // namespace

void print_profile(const EffectiveProfile& profile, std::ostream& out) {
  constexpr int kNameWidth = 18;
  constexpr int kValueWidth = 26;
  out << profile.package << " in mode " << profile.mode << '\n';
  for (const Line& line : lines_of(profile)) {
    out << "  " << std::left << std::setw(kNameWidth) << line.name << ' ' << std::setw(kValueWidth)
        << line.value << ' ' << line.origin << '\n';
  }
}

void print_profile_json(const EffectiveProfile& profile, const nlohmann::json& own,
                        std::ostream& out) {
  OrderedJson json = {{"package", profile.package},
                      {"mode", profile.mode},
                      {"entry", nullptr},
                      {"kind", nullptr},
                      {"enabled", sourced(profile.enabled.value, profile.enabled.origin)},
                      {"policy", sourced(profile.policy.value, profile.policy.origin)},
                      {"source", sourced(to_string(profile.source.value), profile.source.origin)},
                      {"target_fps", sourced(profile.target_fps.value, profile.target_fps.origin)},
                      {"eps", sourced(profile.eps.value, profile.eps.origin)},
                      {"margin", sourced(profile.margin.value, profile.margin.origin)},
                      {"ceilings", limits_json(profile.ceilings)},
                      {"floors", limits_json(profile.floors)}};
  if (!profile.entry.value.empty()) {
    json["entry"] = sourced(profile.entry.value, profile.entry.origin);
  }
  if (!profile.kind.value.empty()) {
    json["kind"] = sourced(profile.kind.value, profile.kind.origin);
  }
  json["own"] = own;
  print(json, out);
}

void print_profiles(const Settings& settings, const std::string& mode, std::ostream& out) {
  out << "mode " << mode << '\n';
  print_map("modes", settings.profiles.modes, "over", out);
  print_map("kinds of app", settings.profiles.kinds, "", out);
  print_map("apps", settings.profiles.apps, "kind", out);
}

void print_profiles_json(const Settings& settings, const std::string& mode, std::ostream& out) {
  OrderedJson json = {{"mode", mode},
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

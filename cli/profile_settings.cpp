// SPDX-License-Identifier: Apache-2.0
#include "cli/profile_settings.h"

#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/unknown_name.h"
#include "config/cluster_selector.h"
#include "config/load.h"
#include "config/profile_fields.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

/// What a setting's text stands for; the reader of profiles says whether it may.
Json value_of(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_boolean() || value.is_number() ? value : Json(text);
}

Json rates_of(const std::string& text) {
  if (text == "auto") {
    return text;
  }
  const Json rates = Json::parse("[" + text + "]", nullptr, false);
  return rates.is_array() ? rates : Json(text);
}

struct KnownSetting {
  std::string_view name;
  bool rates = false;
  bool by_cluster = false;
};

std::vector<KnownSetting> known_settings() {
  std::vector<KnownSetting> known = {{"kind"}, {"mode"}};
  for_each_profile_field([&known](const auto& field) {
    using Field = std::decay_t<decltype(field)>;
    known.push_back(
        {field.name, std::is_same_v<Field, RatesField>, std::is_same_v<Field, LimitsField>});
  });
  return known;
}

Result<KnownSetting> setting_named(std::string_view name) {
  Names names;
  for (const KnownSetting& each : known_settings()) {
    if (each.name == name) {
      return each;
    }
    names.push_back(each.name);
  }
  return fail_unknown(ExitCode::kUsage, "setting", name, names);
}

/// As the reader of profiles says it, but with the words that were given in front.
Status value_problem(const std::string& given, const Json& patch) {
  const Json document = {{"profiles", {{"defaults", patch}}}};
  const auto read = parse_settings(document.dump(), "");
  if (read) {
    return {};
  }
  const std::string& message = read.error().message;
  const std::size_t rule = message.find("' ");
  return fail(ExitCode::kBadInput,
              "'" + given + "': the value " +
                  (rule == std::string::npos ? message : message.substr(rule + 2)));
}

Result<Json> patch_of(const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos) {
    return fail(ExitCode::kUsage, "'" + given + "' is not KEY=VALUE", "such as margin=10%");
  }
  const std::string key = given.substr(0, equals);
  const std::string text = given.substr(equals + 1);
  const std::size_t dot = key.find('.');
  FRAMEGOV_TRY(const KnownSetting setting, setting_named(key.substr(0, dot)));
  if (setting.by_cluster != (dot != std::string::npos) ||
      (setting.by_cluster && !is_cluster_selector(key.substr(dot + 1)))) {
    return setting.by_cluster
               ? fail(
                     ExitCode::kUsage, "'" + key + "' needs a cluster",
                     std::string(setting.name) + ".all, .little, .mid, .big, .clusterN or .policyN")
               : fail(ExitCode::kUsage, "'" + std::string(setting.name) + "' has no clusters");
  }
  Json value = text.empty() ? Json() : setting.rates ? rates_of(text) : value_of(text);
  Json patch = {{std::string(setting.name), setting.by_cluster
                                                ? Json{{key.substr(dot + 1), std::move(value)}}
                                                : std::move(value)}};
  // Which kinds and modes there are, only the owner's own files say.
  if (!text.empty() && setting.name != "kind" && setting.name != "mode") {
    FRAMEGOV_TRY_STATUS(value_problem(given, patch));
  }
  return patch;
}

}  // namespace

Result<Json> values_in(const std::vector<std::string>& settings) {
  Json values = Json::object();
  for (const std::string& given : settings) {
    FRAMEGOV_TRY(const Json patch, patch_of(given));
    for (const auto& [name, value] : patch.items()) {
      if (value.is_object()) {
        values[name].update(value);
      } else {
        values[name] = value;
      }
    }
  }
  return values;
}

}  // namespace framegov::cli

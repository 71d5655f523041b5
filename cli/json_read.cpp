// SPDX-License-Identifier: Apache-2.0
#include "cli/json_read.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

}  // namespace

const Json& at(const Json& object, const char* key) {
  static const Json kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

double number_in(const Json& object, const char* key) {
  const Json& value = at(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string text_in(const Json& object, const char* key) {
  const Json& value = at(object, key);
  std::string text = value.is_string() ? value.get<std::string>() : std::string();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(seconds, 0.0, 1e12));
  std::array<char, 64> text{};
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%lldh%02lldm", whole / 3600, whole / 60 % 60);
  } else if (whole >= 60) {
    std::snprintf(text.data(), text.size(), "%lldm%02llds", whole / 60, whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%llds", whole);
  }
  return text.data();
}

}  // namespace framegov::cli

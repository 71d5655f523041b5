// SPDX-License-Identifier: Apache-2.0
#include "probes/context/dumpsys_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace framegov {

namespace {

constexpr double kSlowest = 1;     // Hz
constexpr double kFastest = 1000;  // Hz
constexpr std::size_t kLongestPackage = 255;

bool is_package_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

bool is_package(std::string_view name) {
  return !name.empty() && name.size() <= kLongestPackage &&
         std::all_of(name.begin(), name.end(), is_package_letter);
}

/// What follows `key` in `line`, from the first occurrence that does not continue another word.
std::optional<std::string_view> after_key(std::string_view line, std::string_view key) {
  for (std::size_t at = line.find(key); at != std::string_view::npos; at = line.find(key, at + 1)) {
    if (at == 0 || !is_package_letter(line[at - 1])) {
      return line.substr(at + key.size());
    }
  }
  return std::nullopt;
}

/// "ActivityRecord{1a2b u0 com.a/.Main t12}" -> com.a
std::string_view activity_package(std::string_view text) {
  constexpr std::string_view kRecord = "ActivityRecord{";
  const std::size_t record = text.find(kRecord);
  if (record == std::string_view::npos) {
    return {};
  }
  text.remove_prefix(record + kRecord.size());
  text = text.substr(0, text.find('}'));
  const std::string_view name = text.substr(0, text.find('/'));
  if (name.size() == text.size()) {
    return {};
  }
  const std::size_t space = name.rfind(' ');
  return space == std::string_view::npos ? std::string_view{} : name.substr(space + 1);
}

std::optional<double> number_at(std::string_view text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The first number of `text` that `unit` follows, spaces between them or none.
std::optional<double> number_with_unit(std::string_view text, std::string_view unit) {
  const auto is_part = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
  for (std::size_t at = text.find(unit); at != std::string_view::npos;
       at = text.find(unit, at + 1)) {
    std::size_t end = at;
    while (end > 0 && text[end - 1] == ' ') {
      --end;
    }
    std::size_t begin = end;
    while (begin > 0 && is_part(text[begin - 1])) {
      --begin;
    }
    if (begin < end) {
      return number_at(text.substr(begin, end - begin));
    }
  }
  return std::nullopt;
}

struct RateForm {
  std::string_view key;
  std::string_view unit;
  bool is_period;
};

std::optional<Duration> interval_from(std::string_view text, const RateForm& form) {
  while (!text.empty()) {
    const auto rest = after_key(take_line(text), form.key);
    const auto value = rest ? number_with_unit(*rest, form.unit) : std::nullopt;
    if (!value || *value <= 0) {
      continue;
    }
    const double rate = form.is_period ? 1e9 / *value : *value;
    if (rate >= kSlowest && rate <= kFastest) {
      return seconds_to_duration(1 / rate);
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> resumed_packages(std::string_view text) {
  constexpr std::array<std::string_view, 5> kKeys = {
      "topResumedActivity=", "topResumedActivity:", "mResumedActivity:", "mResumedActivity=",
      "ResumedActivity:"};
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    for (const std::string_view key : kKeys) {
      const auto rest = after_key(line, key);
      const std::string_view package = rest ? activity_package(*rest) : std::string_view{};
      if (is_package(package) && std::find(found.begin(), found.end(), package) == found.end()) {
        found.emplace_back(package);
      }
    }
  }
  return found;
}

std::optional<Duration> refresh_interval(std::string_view text) {
  constexpr std::array<RateForm, 4> kForms = {{{"renderRate=", "Hz", false},
                                               {"activeMode=", "Hz", false},
                                               {"refresh-rate", "fps", false},
                                               {"VSYNC period:", "ns", true}}};
  for (const RateForm& form : kForms) {
    if (const auto interval = interval_from(text, form)) {
      return interval;
    }
  }
  return std::nullopt;
}

std::string keyboard_package(std::string_view text) {
  const std::string_view line = take_line(text);
  const std::string_view name = line.substr(0, line.find('/'));
  return name.size() < line.size() && is_package(name) ? std::string(name) : std::string();
}

std::optional<ThermalLevel> thermal_level(std::string_view text) {
  while (!text.empty()) {
    const auto rest = after_key(take_line(text), "Thermal Status: ");
    const auto value = rest ? number_at(*rest) : std::nullopt;
    if (value && *value >= 0 && *value < static_cast<double>(kThermalLevels)) {
      return static_cast<ThermalLevel>(static_cast<int>(*value));
    }
  }
  return std::nullopt;
}

}  // namespace framegov

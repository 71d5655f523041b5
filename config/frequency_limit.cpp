// SPDX-License-Identifier: Apache-2.0
#include "config/frequency_limit.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

namespace framegov {

namespace {

/// Units in kHz.
constexpr std::array<std::pair<std::string_view, double>, 4> kFrequencyUnits = {
    {{"Hz", 1e-3}, {"kHz", 1}, {"MHz", 1e3}, {"GHz", 1e6}}};
constexpr double kHighestKhz = 1e8;

}  // namespace

std::optional<FrequencyLimit> parse_frequency_limit(std::string_view text) {
  if (text == "none") {
    return FrequencyLimit{};
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number <= 0) {
    return std::nullopt;
  }
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit == "%") {
    return number <= 100 ? std::optional(FrequencyLimit{{}, number / 100}) : std::nullopt;
  }
  for (const auto& [name, in_khz] : kFrequencyUnits) {
    const double value = number * in_khz;
    if (unit == name && value >= 1 && value <= kHighestKhz) {
      return FrequencyLimit{khz(std::llround(value)), 0};
    }
  }
  return std::nullopt;
}

std::string to_text(const FrequencyLimit& limit) {
  std::ostringstream text;
  if (limit.frequency.count() > 0) {
    text.precision(9);
    text << to_mhz(limit.frequency) << "MHz";
  } else if (limit.part > 0) {
    text << limit.part * 100 << '%';
  } else {
    text << "none";
  }
  return text.str();
}

}  // namespace framegov

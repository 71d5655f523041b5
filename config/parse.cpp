// SPDX-License-Identifier: Apache-2.0
#include "config/parse.h"

#include <array>
#include <charconv>
#include <cmath>

namespace framegov {

namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array<Unit, 4> kTimeUnits = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0) {
    return std::nullopt;
  }
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const Unit& each : kTimeUnits) {
    const double ns = number * each.ns;
    if (unit == each.name && ns < 1e18) {
      return Duration{std::llround(ns)};
    }
  }
  return std::nullopt;
}

}  // namespace framegov

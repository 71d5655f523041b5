// SPDX-License-Identifier: Apache-2.0
#include "config/parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

namespace framegov {

namespace {

struct Unit {
  std::string_view name;
  double ns;
};
constexpr std::array<Unit, 4> kTimeUnits = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

/// Levenshtein distance, O(a x b) time and O(b) memory.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

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

std::optional<std::string_view> nearest(std::string_view word,
                                        const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) {
    return std::nullopt;
  }
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace framegov

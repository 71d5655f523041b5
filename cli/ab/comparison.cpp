// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/comparison.h"

#include <algorithm>
#include <limits>

namespace framegov::ab {

namespace {

Pair make_pair(const Window& first, const Window& second, Duration settle,
               const GaugeTraits& gauge) {
  Pair pair;
  for (const Window* window : {&first, &second}) {
    if (const char* why = why_spoiled(*window, settle, gauge.node)) {
      pair.spoiled = why;
      return pair;
    }
    (window->arm == Arm::kStock ? pair.stock : pair.framegov) = figures_of(*window, settle, gauge);
  }
  return pair;
}

Measure measure(const std::vector<Pair>& pairs, double WindowFigures::*figure) {
  Measure measure;
  std::vector<double> differences;
  for (const Pair& pair : pairs) {
    if (pair.spoiled.empty()) {
      measure.stock += pair.stock.*figure;
      measure.framegov += pair.framegov.*figure;
      differences.push_back(pair.framegov.*figure - pair.stock.*figure);
    }
  }
  if (!differences.empty()) {
    measure.stock /= static_cast<double>(differences.size());
    measure.framegov /= static_cast<double>(differences.size());
  }
  measure.test = paired_test(differences);
  return measure;
}

}  // namespace

double Comparison::minutes_to_find(double percent) const {
  constexpr double kSecondsPerMinute = 60;
  if (power_mw.test.pairs < 2) {
    return std::numeric_limits<double>::infinity();
  }
  const double pairs_wanted = pairs_needed(power_mw.test.deviation, power_mw.stock * percent / 100);
  return pairs_wanted * to_seconds(pair_length) / kSecondsPerMinute;
}

Comparison compare(const std::vector<Window>& windows, Duration asked_settle) {
  Comparison comparison;
  comparison.gauge = gauge_traits(windows);
  comparison.settle = std::max(asked_settle, 2 * comparison.gauge.interval);
  for (std::size_t i = 0; i + 1 < windows.size(); i += 2) {
    comparison.pairs.push_back(
        make_pair(windows[i], windows[i + 1], comparison.settle, comparison.gauge));
  }
  if (windows.size() >= 3) {
    comparison.pair_length = windows[2].begin - windows[0].begin;
  }
  // Of a gauge that tells nothing every pair says zero, which is no figure: none of them counts.
  comparison.power_mw = measure(comparison.tells_power() ? comparison.pairs : std::vector<Pair>{},
                                &WindowFigures::power_mw);
  comparison.miss_percent = measure(comparison.pairs, &WindowFigures::miss_percent);
  return comparison;
}

}  // namespace framegov::ab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/ab/comparison.h"
#include "cli/ab/forecast.h"

namespace framegov::ab {

/// A forecast, and what it was made of.
struct Expectation {
  Forecast forecast;
  std::string recording;
  std::string device;
  std::string stock;  ///< the policy that was replayed for the windows without framegov
};

/// A finished run, as it is told.
struct Outcome {
  std::string app;
  std::uint64_t seed = 0;
  Comparison comparison;
  std::string engine{};  ///< another frame engine that was on without framegov only; empty: none
  std::optional<Expectation> expected{};
};

/// In the place of why a pair was left out: of power alone, its late frames count.
inline constexpr const char* kGaugeStill = "the gauge did not move";

/// docs/ab.md says what each member holds. Its `sentences` are put in by who tells them.
[[nodiscard]] nlohmann::ordered_json to_json(const Outcome& outcome);
/// Its member `forecast`; what became of it is null as long as nothing was measured.
[[nodiscard]] nlohmann::ordered_json to_json(const Expectation& expected,
                                             const Measure& power_mw = {});

/// One HTML file that needs nothing else, of to_json() with its sentences. `words`: what page.html
/// calls so, and `language`, its code.
[[nodiscard]] std::string to_page(const nlohmann::ordered_json& result,
                                  const nlohmann::ordered_json& words);

}  // namespace framegov::ab

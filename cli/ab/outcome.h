// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/ab/comparison.h"

namespace framegov::ab {

/// A finished run, as it is told.
struct Outcome {
  std::string app;
  std::uint64_t seed = 0;
  Comparison comparison;
  std::string engine{};  ///< another frame engine that was on without framegov only; empty: none
};

/// In the place of why a pair was left out: of power alone, its late frames count.
inline constexpr const char* kGaugeStill = "the gauge did not move";

/// docs/ab.md says what each member holds. Its `sentences` are put in by who tells them.
[[nodiscard]] nlohmann::ordered_json to_json(const Outcome& outcome);

/// One HTML file that needs nothing else, of to_json() with its sentences.
[[nodiscard]] std::string to_page(const nlohmann::ordered_json& result);

}  // namespace framegov::ab

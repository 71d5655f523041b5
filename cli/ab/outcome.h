// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/ab/comparison.h"

namespace framegov::ab {

/// A finished run, as it is told.
struct Outcome {
  std::string app;
  std::uint64_t seed = 0;
  Comparison comparison;
  std::string engine{};  ///< another frame engine that was on without framegov only; empty: none
};

/// What a person should know, a sentence each: the verdict first.
[[nodiscard]] std::vector<std::string> sentences(const Outcome& outcome);

/// docs/ab.md says what each member holds.
[[nodiscard]] std::string to_json(const Outcome& outcome);

/// One HTML file that needs nothing else.
[[nodiscard]] std::string to_page(const Outcome& outcome);

}  // namespace framegov::ab

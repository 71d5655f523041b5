// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace framegov::cli {

// A service of another version may leave fields out or add some: what is not there, or is something
// else, counts as zero, empty or false.

[[nodiscard]] double number_in(const nlohmann::json& object, const char* key);
/// Without anything that a terminal would take as a command: names of apps are not ours.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* key);
/// The object or list under `key`; empty null when there is none.
[[nodiscard]] const nlohmann::json& at(const nlohmann::json& object, const char* key);

/// printf's one double, as text.
[[nodiscard]] std::string formatted(const char* format, double value);

/// "1h02m", "3m20s", "12s"
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace framegov::cli

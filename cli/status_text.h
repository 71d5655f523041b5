// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace framegov::cli {

/// A status (docs/protocol.md) for people: one "name  value" line for each thing.
/// For people: "Smooth: 2 of 3600 frames late in the last minute, big cores kept to 41 %." While
/// paused: that it is.
[[nodiscard]] std::string verdict_text(const nlohmann::json& status);

[[nodiscard]] std::string status_text(const nlohmann::json& status);

/// The history's days as a table; a sentence when there are none.
[[nodiscard]] std::string history_text(const nlohmann::json& history);

}  // namespace framegov::cli

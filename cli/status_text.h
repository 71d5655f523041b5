// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace framegov::cli {

/// A status (docs/protocol.md) for people: one "name  value" line for each thing.
[[nodiscard]] std::string status_text(const nlohmann::json& status);

/// The history's days as a table; a sentence when there are none.
[[nodiscard]] std::string history_text(const nlohmann::json& history);

}  // namespace framegov::cli

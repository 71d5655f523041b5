// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/owner_texts.h"
#include "governor/engines/engine_switches.h"

namespace framegov::cli {

/// The engines of the phone, looked for now: an array of {"name", "whose", "state": "on", "off" or
/// "there", "by_framegov", "marks", "switches": [{"node", "value"}], "asks"}.
[[nodiscard]] nlohmann::json engines_json(const ServiceSettings& settings);

/// "fpsgo: on (MediaTek). It clamps ..." of a member of engines_json().
[[nodiscard]] std::string engine_sentence(const nlohmann::json& engine, const OwnerTexts& texts);

/// The same with where it was seen and its switches, a line each, and how to switch it.
[[nodiscard]] std::string engine_text(const nlohmann::json& engine, const OwnerTexts& texts);

}  // namespace framegov::cli

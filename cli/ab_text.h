// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/ab/experiment.h"
#include "cli/owner_texts.h"

namespace framegov::cli {

/// What a person should know of a result (docs/ab.md), a sentence each: the verdict first.
[[nodiscard]] std::vector<std::string> ab_sentences(const nlohmann::json& result,
                                                    const OwnerTexts& texts = english_texts());

/// What the page with a result (ab::to_page()) is written in.
[[nodiscard]] nlohmann::ordered_json ab_page_words(const OwnerTexts& texts = english_texts());

/// What is expected, by `forecast` of a result.
[[nodiscard]] std::string ab_forecast_text(const nlohmann::json& forecast,
                                           const OwnerTexts& texts = english_texts());

/// "window 3 of 30: framegov, 27 min left"; without the time where `left` is empty.
[[nodiscard]] std::string ab_window_text(const ab::Progress& progress, const std::string& left,
                                         const OwnerTexts& texts = english_texts());

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace framegov {

/// "500ms", "2s", "4000us", "10ns", "1.5s": a number and its unit, nothing else. A bare number is
/// refused, because nobody can see its unit.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

}  // namespace framegov

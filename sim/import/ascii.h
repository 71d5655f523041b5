// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace framegov::sim {

/// Of no locale, and of any byte of a hostile file.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace framegov::sim

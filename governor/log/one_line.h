// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace framegov {

/// `text` as a log can show it: on one line, in the order in which it is written, and as UTF-8.
/// Apps choose their names, and libraries and settings have names too: control characters, what
/// else breaks a line or turns the writing's direction, and bytes that are no UTF-8 become \xNN,
/// each of their bytes.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace framegov

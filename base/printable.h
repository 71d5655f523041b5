// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

namespace framegov {

[[nodiscard]] constexpr bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
}

/// `text` on one line that cannot speak to a terminal: its control characters become question
/// marks. For messages that show what a file holds.
[[nodiscard]] inline std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

}  // namespace framegov

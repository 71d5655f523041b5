// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

// Small things to do with text, of any bytes: what files, apps and commands hand in.

namespace framegov {

/// Of no locale, and of any byte of a hostile file.
[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_control(char letter) {
  return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
}

/// `text` on one line that cannot speak to a terminal: its control characters become question
/// marks. For messages that show what a file holds.
[[nodiscard]] inline std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text;
}

/// The first line of `text`, which is taken off it; the last one need not end. The "\n" or "\r\n"
/// that ends it is no part of it.
[[nodiscard]] inline std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

/// A text of at most N bytes kept in place; what is over is cut off.
template <std::size_t N>
class FixedText {
 public:
  constexpr FixedText() = default;
  explicit FixedText(std::string_view text) : size_(std::min(text.size(), N)) {
    std::copy_n(text.begin(), size_, bytes_.begin());
  }
  [[nodiscard]] std::string_view view() const { return {bytes_.data(), std::min(size_, N)}; }

 private:
  std::array<char, N> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace framegov::cli {

enum class Style : std::uint8_t { kPlain, kBold, kDim, kGood, kBad, kAccent };

/// One line of a terminal, never wider than `columns`: what is over is cut off.
class TextLine {
 public:
  TextLine(std::size_t columns, bool colour) : columns_(columns), colour_(colour) {}

  /// UTF-8 text.
  TextLine& add(std::string_view text, Style style = Style::kPlain);
  /// One column, whatever bytes it has (a UTF-8 block, say).
  TextLine& cell(std::string_view glyph, Style style = Style::kPlain);
  /// Spaces up to column `column`.
  TextLine& pad_to(std::size_t column);

  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] std::size_t room() const { return columns_ - width_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void put(std::string_view bytes, std::size_t width, Style style);

  std::size_t columns_;
  bool colour_;
  std::size_t width_ = 0;
  std::string text_;
};

/// Columns of a terminal that UTF-8 text takes: two for each letter of Chinese, Japanese and
/// Korean.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// As much of the beginning of UTF-8 text as takes so many columns at most.
[[nodiscard]] std::string_view beginning_of(std::string_view text, std::size_t columns);

/// The text and spaces up to column `columns`; one at least.
[[nodiscard]] std::string padded(std::string text, std::size_t columns);

/// Breaks UTF-8 text at spaces, and where it has none before any wide letter, into at most `most`
/// lines of `columns`; the last ends in "..." when there is more.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t columns,
                                               std::size_t most);

}  // namespace framegov::cli

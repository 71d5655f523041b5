// SPDX-License-Identifier: Apache-2.0
#include "cli/text_line.h"

#include <algorithm>

namespace framegov::cli {

namespace {

constexpr std::string_view kReset = "\x1b[0m";

std::string_view code_of(Style style) {
  switch (style) {
    case Style::kPlain:
      break;
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kAccent:
      return "\x1b[36m";
  }
  return {};
}

/// Bytes of the letter that text begins with.
std::size_t letter_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80U) {
    ++bytes;
  }
  return bytes;
}

std::size_t letter_columns(std::string_view letter) {
  constexpr unsigned kFirstWide = 0xe3;  // U+3000: letters from there on are wide
  return static_cast<unsigned char>(letter.front()) >= kFirstWide ? 2 : 1;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t bytes = letter_bytes(text);
    columns += letter_columns(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string_view beginning_of(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const std::size_t next = letter_bytes(text.substr(bytes));
    const std::size_t wide = letter_columns(text.substr(bytes, next));
    if (wide > columns) {
      break;
    }
    columns -= wide;
    bytes += next;
  }
  return text.substr(0, bytes);
}

std::string padded(std::string text, std::size_t columns) {
  const std::size_t taken = columns_of(text);
  return text.append(columns > taken ? columns - taken : 1, ' ');
}

void TextLine::put(std::string_view bytes, std::size_t width, Style style) {
  const std::string_view code = colour_ ? code_of(style) : std::string_view{};
  text_.append(code).append(bytes).append(code.empty() ? std::string_view{} : kReset);
  width_ += width;
}

TextLine& TextLine::add(std::string_view text, Style style) {
  const std::string_view fits = beginning_of(text, room());
  if (!fits.empty()) {
    put(fits, columns_of(fits), style);
  }
  return *this;
}

TextLine& TextLine::cell(std::string_view glyph, Style style) {
  if (room() > 0) {
    put(glyph, 1, style);
  }
  return *this;
}

TextLine& TextLine::pad_to(std::size_t column) {
  const std::size_t end = std::min(column, columns_);
  return end > width_ ? add(std::string(end - width_, ' ')) : *this;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most && columns > 3) {
    if (columns_of(text) <= columns) {
      lines.emplace_back(text);
      break;
    }
    const bool last = lines.size() + 1 == most;
    const std::size_t most_bytes = beginning_of(text, last ? columns - 3 : columns).size();
    const std::size_t space = text.rfind(' ', most_bytes);
    // Chinese has no spaces: a line of it may end before any letter.
    const bool anywhere = space == std::string_view::npos || space == 0 ||
                          letter_columns(text.substr(most_bytes)) > 1;
    const std::size_t cut = anywhere ? most_bytes : space;
    lines.push_back(std::string(text.substr(0, cut)) + (last ? "..." : ""));
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

}  // namespace framegov::cli

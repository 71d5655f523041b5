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

}  // namespace

void TextLine::put(std::string_view bytes, std::size_t width, Style style) {
  const std::string_view code = colour_ ? code_of(style) : std::string_view{};
  text_.append(code).append(bytes).append(code.empty() ? std::string_view{} : kReset);
  width_ += width;
}

TextLine& TextLine::add(std::string_view text, Style style) {
  const std::string_view fits = text.substr(0, room());
  if (!fits.empty()) {
    put(fits, fits.size(), style);
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
    if (text.size() <= columns) {
      lines.emplace_back(text);
      break;
    }
    const bool last = lines.size() + 1 == most;
    const std::size_t width = last ? columns - 3 : columns;
    const std::size_t space = text.rfind(' ', width);
    const std::size_t cut = space == std::string_view::npos || space == 0 ? width : space;
    lines.push_back(std::string(text.substr(0, cut)) + (last ? "..." : ""));
    text.remove_prefix(cut);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

}  // namespace framegov::cli

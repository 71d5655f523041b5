// SPDX-License-Identifier: Apache-2.0
#include "governor/log/one_line.h"

#include <cstdint>

namespace framegov {

namespace {

struct Character {
  std::size_t size = 1;
  char32_t code = 0;
  bool valid = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

/// The first one of `text`, which is not empty; one byte of what is no UTF-8.
Character first_of(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) {
    return {1, lead, true};
  }
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) {
    return {};
  }
  char32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80) {
      return {};
    }
    code = code << 6U | (byte_at(text, i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kSmallest[size] || code > 0x10FFFF || surrogate ? Character{}
                                                                : Character{size, code, true};
}

/// Controls (C0, DEL, C1), line and paragraph separators, and what turns the direction.
bool is_shown_as_it_is(const Character& character) {
  const char32_t code = character.code;
  const bool control = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool breaks_or_turns = (code >= 0x2028 && code <= 0x202E) || code == 0x200E ||
                               code == 0x200F || code == 0x061C ||
                               (code >= 0x2066 && code <= 0x2069);
  return character.valid && !control && !breaks_or_turns;
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character first = first_of(text);
    if (is_shown_as_it_is(first)) {
      shown += text.substr(0, first.size);
    } else {
      for (std::size_t i = 0; i < first.size; ++i) {
        shown += {'\\', 'x', kDigits[byte_at(text, i) >> 4U], kDigits[byte_at(text, i) & 0xFU]};
      }
    }
    text.remove_prefix(first.size);
  }
  return shown;
}

}  // namespace framegov

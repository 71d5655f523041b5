// SPDX-License-Identifier: Apache-2.0
// What the fuzzed functions are held to.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace framegov::fuzz {

/// The input is a finding when it does not hold.
inline void need(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "invariant broken: %s\n", what);
    std::abort();
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

/// A message for people: one line that says something and cannot speak to the terminal.
inline void need_one_line(std::string_view message) {
  need(!message.empty(), "an error says what is wrong");
  need(!has_control_character(message), "a message is one line without control characters");
}

inline void need_within(double value, double low, double high, const char* what) {
  need(std::isfinite(value) && value >= low && value <= high, what);
}

}  // namespace framegov::fuzz

// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace framegov {

/// Says on stderr which rule of its own the program has broken, and ends it (SIGABRT), as do the
/// library's assertions, the stack protector and FORTIFY. What must be put back before (limits) is
/// for whoever handles that signal (FatalEnd) or supervises the process.
[[noreturn]] void broken(const char* rule);

/// Rules that no input may break are checked in every build: a broken one would read or write
/// another object's memory, and root's at that. What input may do is a Result, or counted.
constexpr void check(bool holds, const char* rule) {
  if (!holds) [[unlikely]] {
    broken(rule);
  }
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace framegov {

/// Takes `word` off the front of `line`; false when it does not begin with it.
[[nodiscard]] inline bool take_prefix(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word)) {
    return false;
  }
  line.remove_prefix(word.size());
  return true;
}

/// The lines of a file in the state folder that says what is to be put back: its first line names
/// what and the version, the second the boot ("boot ID").
class SavedLines {
 public:
  /// `file` is its name, for errors.
  SavedLines(std::string_view file, std::string_view text) : file_(file), rest_(text) {}

  /// Empty after the last one.
  [[nodiscard]] std::string_view next();
  /// Takes the first two lines. Error (kBadInput): they are others.
  [[nodiscard]] Result<std::string> boot_id(std::string_view first_line);
  /// Error (kBadInput) about the line that came last.
  [[nodiscard]] tl::unexpected<Error> bad(std::string_view what) const;

 private:
  std::string_view file_;
  std::string_view rest_;
  int number_ = 0;
};

}  // namespace framegov

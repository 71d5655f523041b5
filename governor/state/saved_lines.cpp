// SPDX-License-Identifier: Apache-2.0
#include "governor/state/saved_lines.h"

#include <algorithm>

#include "base/text.h"

namespace framegov {

std::string_view SavedLines::next() {
  ++number_;
  return take_line(rest_);
}

Result<std::string> SavedLines::boot_id(std::string_view first_line) {
  if (next() != first_line) {
    return bad("not '" + std::string(first_line) + "'");
  }
  std::string_view line = next();
  if (!take_prefix(line, "boot ") || std::any_of(line.begin(), line.end(), is_control)) {
    return bad("the boot id is missing");
  }
  return std::string(line);
}

tl::unexpected<Error> SavedLines::bad(std::string_view what) const {
  return fail(ExitCode::kBadInput,
              std::string(file_) + ":" + std::to_string(number_) + ": " + std::string(what));
}

}  // namespace framegov

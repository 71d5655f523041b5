// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "cli/command_tree.h"

namespace framegov::cli {

/// The manual page of a program, in roff (man macros), for section 1 or 8.
[[nodiscard]] std::string man_page(const CommandFacts& program, int section,
                                   std::string_view version);

}  // namespace framegov::cli

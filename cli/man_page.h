// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command_tree.h"

namespace framegov::cli {

/// A variable of the environment that a program reads.
struct EnvironmentFacts {
  std::string name;
  std::string description;
};

/// The manual page of a program, in roff (man macros), for section 1 or 8. It has no date: two
/// builds of one version make the same page.
[[nodiscard]] std::string man_page(const CommandFacts& program, int section,
                                   std::string_view version,
                                   const std::vector<EnvironmentFacts>& environment = {});

}  // namespace framegov::cli

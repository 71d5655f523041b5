// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_tree.h"

namespace framegov::cli {

// Scripts that a shell sources to complete the command line of `root`: subcommands, options, and
// words where only some are accepted; else files.

[[nodiscard]] std::string bash_completion(const CommandFacts& root);
[[nodiscard]] std::string zsh_completion(const CommandFacts& root);
[[nodiscard]] std::string fish_completion(const CommandFacts& root);

}  // namespace framegov::cli

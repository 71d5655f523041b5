// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/owner_texts.h"

namespace framegov::cli {

/// A text that `--help` shows: the keys that may hold it in another language, the first that does
/// counts, and the program's own words.
struct HelpText {
  std::vector<std::string> keys;
  std::string words;
};

/// Puts the descriptions of commands and options, and what stands above the examples, into an
/// owner's language. English has no texts of its own: what the commands say of themselves stands.
/// Examples and exit codes stay as they are.
void translate_help(CLI::App& program, const OwnerTexts& texts);

/// Everything that translate_help() looks up for an owner's commands. Of those of developers (sim,
/// device, ...) that is what they are for.
[[nodiscard]] std::vector<HelpText> help_texts(const CLI::App& program);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/owner_texts.h"

namespace framegov::cli {

/// A text that `--help` shows: the keys that may hold it in another language, the first that does
/// counts, and the program's own words.
struct HelpText {
  std::vector<std::string> keys;
  std::string words;
};

/// Whether a command is not one for owners; `path` is its name, or "device_show" of one below it.
[[nodiscard]] bool is_for_developers(std::string_view path);

/// Puts the descriptions of commands and options, what stands above the examples, and what exit
/// codes mean into an owner's language. English has no texts of its own: what the commands say of
/// themselves stands. The examples are command lines, the same in every language.
void translate_help(CLI::App& program, const OwnerTexts& texts);

/// Everything that translate_help() looks up for an owner's commands. Of those of developers (sim,
/// device, ...) that is what they are for.
[[nodiscard]] std::vector<HelpText> help_texts(const CLI::App& program);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace framegov::cli {

/// An option or argument, as the parser knows it.
struct OptionFacts {
  std::vector<std::string> names;  ///< "--json", "-n"; one without dashes for an argument
  std::string description;
  std::string value;                 ///< "FILE"; empty for flags
  std::vector<std::string> choices;  ///< where only these are accepted
  std::string range;                 ///< "1..9", where only that is
  std::string usual;                 ///< the value without the option; empty where there is none
  bool argument = false;
  bool required = false;
  bool repeated = false;  ///< takes several values
  bool list = false;      ///< takes several choices with commas between them
};

/// A command with its subcommands: what completion and manual pages are made from. Read off the
/// parser itself, so that they cannot drift from it.
struct CommandFacts {
  std::string name;
  std::string description;
  std::string footer;
  std::vector<OptionFacts> options;
  std::vector<CommandFacts> commands;
};

[[nodiscard]] CommandFacts facts_of(const CLI::App& app);

}  // namespace framegov::cli

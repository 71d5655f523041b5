// SPDX-License-Identifier: Apache-2.0
#include "cli/command_tree.h"

#include <CLI/CLI.hpp>

namespace framegov::cli {

namespace {

/// "on, off" of a type that says "TEXT:{on,off}"; nothing of others.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) {
    return {};
  }
  std::vector<std::string> choices;
  for (std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',')) {
    choices.push_back(CLI::detail::trim_copy(choice));
  }
  return choices;
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_lnames()) {
    facts.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    facts.names.push_back("-" + name);
  }
  facts.argument = facts.names.empty();
  if (facts.argument) {
    facts.names.push_back(option.get_name(true));
  }
  facts.description = option.get_description();
  facts.required = option.get_required();
  facts.repeated = option.get_expected_max() > 1;
  facts.usual = option.get_default_str();
  // "FILE", "TEXT:{on,off}", "N:1..9"
  const std::string type = option.get_type_name();
  const std::size_t colon = type.find(':');
  facts.choices = choices_in(type);
  if (facts.choices.empty() && colon != std::string::npos) {
    facts.range = type.substr(colon + 1);
  }
  if (option.get_items_expected_max() > 0 && option.get_type_size_max() > 0) {
    facts.value = facts.choices.empty() ? type.substr(0, colon) : "WORD";
  }
  return facts;
}

}  // namespace

CommandFacts facts_of(const CLI::App& app) {
  CommandFacts facts;
  facts.name = app.get_name();
  facts.description = app.get_description();
  facts.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    facts.options.push_back(facts_of(*option));
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    facts.commands.push_back(facts_of(*command));
  }
  return facts;
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/help_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace framegov::cli {

namespace {

constexpr std::string_view kPrefix = "cli_help_";
/// Whoever uses these reads English pages anyway.
constexpr std::array<std::string_view, 8> kForDevelopers = {
    "device", "framebench", "import", "locate", "man", "sim", "sweep", "tune"};

bool is_for_developers(const CLI::App& command) {
  return std::find(kForDevelopers.begin(), kForDevelopers.end(), command.get_name()) !=
         kForDevelopers.end();
}

std::string key_of(const std::string& path) { return std::string(kPrefix) + path; }

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
}

std::vector<std::string> keys_of(const CLI::Option& option, const std::string& path) {
  return {key_of(path + "__" + name_of(option)), key_of("any_" + name_of(option))};
}

/// Where the words above the examples and exit codes end.
std::size_t end_of_words(const std::string& footer) {
  const std::size_t examples = std::min(footer.find("Examples:\n"), footer.find("Example:\n"));
  return std::min({examples, footer.find("Exit codes:"), footer.size()});
}

/// The first of the keys that has a text; empty: none has.
std::string first_of(const std::vector<std::string>& keys, const OwnerTexts& texts) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&texts](const std::string& key) { return texts.has(key); });
  return found == keys.end() ? std::string() : texts.text(*found);
}

std::string path_of(const CLI::App& command, const std::string& above) {
  return above.empty() ? command.get_name() : above + "_" + command.get_name();
}

void translate(CLI::App& command, const std::string& path, const OwnerTexts& texts) {
  if (const std::string words = first_of({key_of(path)}, texts); !words.empty()) {
    command.description(words);
  }
  for (CLI::Option* option : command.get_options()) {
    if (const std::string words = first_of(keys_of(*option, path), texts); !words.empty()) {
      option->description(words);
    }
    // Others are hidden.
    if (option->get_group() == "Options") {
      option->group(texts.text(key_of("_options")));
    }
  }
  std::string footer = command.get_footer();
  if (const std::string words = first_of({key_of(path + "_about")}, texts); !words.empty()) {
    command.footer(words + "\n" + footer.substr(end_of_words(footer)));
  }
  command.get_formatter()->label("Usage", texts.text(key_of("_usage")));
  command.get_formatter()->label("Positionals", texts.text(key_of("_positionals")));
  for (CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    sub->group(texts.text(key_of("_commands")));
    translate(*sub, path_of(*sub, command.get_parent() == nullptr ? "" : path), texts);
  }
}

void collect(const CLI::App& command, const std::string& path, std::vector<HelpText>& found) {
  found.push_back({{key_of(path)}, command.get_description()});
  if (is_for_developers(command)) {
    return;
  }
  for (const CLI::Option* option : command.get_options()) {
    found.push_back({keys_of(*option, path), option->get_description()});
  }
  const std::string footer = command.get_footer();
  if (const std::size_t end = end_of_words(footer); end > 0) {
    found.push_back({{key_of(path + "_about")}, footer.substr(0, end)});
  }
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*sub, path_of(*sub, path), found);
  }
}

}  // namespace

void translate_help(CLI::App& program, const OwnerTexts& texts) {
  if (!texts.is_english()) {
    translate(program, "_program", texts);
  }
}

std::vector<HelpText> help_texts(const CLI::App& program) {
  std::vector<HelpText> found = {{{key_of("_program")}, program.get_description()}};
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*command, command->get_name(), found);
  }
  for (const CLI::Option* option : program.get_options()) {
    found.push_back({keys_of(*option, "_program"), option->get_description()});
  }
  for (const char* label : {"_usage", "_options", "_positionals", "_commands"}) {
    found.push_back({{key_of(label)}, ""});
  }
  return found;
}

}  // namespace framegov::cli

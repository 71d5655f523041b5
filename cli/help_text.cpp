// SPDX-License-Identifier: Apache-2.0
#include "cli/help_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cli/text_line.h"

namespace framegov::cli {

namespace {

constexpr std::string_view kPrefix = "cli_help_";
/// Whoever uses these reads English pages anyway.
constexpr std::array<std::string_view, 8> kForDevelopers = {
    "device", "framebench", "import", "locate", "man", "sim", "sweep", "tune"};

/// What CLI11 prints between descriptions, and the text that stands there instead.
struct Label {
  const char* ours;
  const char* key;
};
constexpr std::array kLabels = {
    Label{"Usage", "_usage"},       Label{"Positionals", "_positionals"},
    Label{"OPTIONS", "_OPTIONS"},   Label{"SUBCOMMAND", "_SUBCOMMAND"},
    Label{"REQUIRED", "_REQUIRED"}, Label{"Env", "_env"},
    Label{"Needs", "_needs"},       Label{"Excludes", "_excludes"},
};

constexpr std::string_view kExamples = "Examples:\n";
constexpr std::string_view kExample = "Example:\n";
constexpr std::string_view kExitCodes = "Exit codes:";

std::string key_of(const std::string& path) { return std::string(kPrefix) + path; }

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name(true) : option.get_lnames().front();
}

std::vector<std::string> keys_of(const CLI::Option& option, const std::string& path) {
  return {key_of(path + "__" + name_of(option)), key_of("any_" + name_of(option))};
}

struct ExitCodeWords {
  std::string code;
  std::string words;
};

/// What a command says below its options.
struct Footer {
  std::string about;                 ///< above the examples
  std::string_view heading;          ///< kExamples, kExample, or nothing where there are none
  std::string examples;              ///< their lines
  std::vector<ExitCodeWords> codes;  ///< as they are listed
};

/// Of "0 ok, 5 no such engine, or no switch.": a code begins after a comma and a space.
std::vector<ExitCodeWords> codes_in(std::string list) {
  std::replace(list.begin(), list.end(), '\n', ' ');
  std::vector<ExitCodeWords> codes;
  for (std::size_t at = list.find_first_of("0123456789"); at < list.size();) {
    const std::size_t space = list.find(' ', at);
    std::size_t end = list.find(", ", at);
    while (end < list.size() && std::isdigit(static_cast<unsigned char>(list[end + 2])) == 0) {
      end = list.find(", ", end + 1);
    }
    end = std::min(end, list.size() - (list.ends_with('.') ? 1 : 0));
    codes.push_back({list.substr(at, space - at), list.substr(space + 1, end - space - 1)});
    at = end + 2;
  }
  return codes;
}

Footer parts_of(const std::string& footer) {
  const std::size_t codes = std::min(footer.find(kExitCodes), footer.size());
  const std::string above = footer.substr(0, codes);
  Footer parts{.about = above, .heading = {}, .examples = {}, .codes = {}};
  for (const std::string_view heading : {kExamples, kExample}) {
    if (const std::size_t begin = above.find(heading); begin != std::string::npos) {
      parts.about = above.substr(0, begin);
      parts.heading = heading;
      parts.examples = above.substr(begin + heading.size());
      break;
    }
  }
  if (codes < footer.size()) {
    parts.codes = codes_in(footer.substr(codes + kExitCodes.size()));
  }
  return parts;
}

std::string heading_key(std::string_view heading) {
  return key_of(heading == kExamples ? "_examples" : "_example");
}

/// "cli_help_exit_no-permission": the same words mean the same for every command.
std::string exit_key(const ExitCodeWords& code) {
  std::string name;
  for (const char c : code.words) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name.erase(name.find_last_not_of('-') + 1);
  return key_of("exit_" + name);
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

std::string translated_footer(const std::string& footer, const std::string& path,
                              const OwnerTexts& texts) {
  constexpr std::size_t kColumns = 100;
  const Footer parts = parts_of(footer);
  std::string text;
  if (!parts.about.empty()) {
    const std::string words = first_of({key_of(path + "_about")}, texts);
    text = words.empty() ? parts.about : words + "\n";
  }
  if (!parts.heading.empty()) {
    text += texts.text(heading_key(parts.heading)) + ":\n" + parts.examples;
  }
  if (!parts.codes.empty()) {
    std::string list;
    for (const ExitCodeWords& code : parts.codes) {
      const std::string words = first_of({exit_key(code)}, texts);
      list += (list.empty() ? "" : ", ") + code.code + " " + (words.empty() ? code.words : words);
    }
    const std::string line = texts.text(key_of("_exitCodes"), {{"codes", list}});
    for (const std::string& each : wrapped(line, kColumns, line.size())) {
      text += each + "\n";
    }
  }
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
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
  if (!is_for_developers(path)) {
    command.footer(translated_footer(command.get_footer(), path, texts));
  }
  for (const Label& label : kLabels) {
    command.get_formatter()->label(label.ours, texts.text(key_of(label.key)));
  }
  for (CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    sub->group(texts.text(key_of("_commands")));
    translate(*sub, path_of(*sub, command.get_parent() == nullptr ? "" : path), texts);
  }
}

void collect_footer(const CLI::App& command, const std::string& path,
                    std::vector<HelpText>& found) {
  const Footer parts = parts_of(command.get_footer());
  if (!parts.about.empty()) {
    found.push_back({{key_of(path + "_about")}, parts.about});
  }
  if (!parts.heading.empty()) {
    found.push_back({{heading_key(parts.heading)}, std::string(parts.heading)});
  }
  for (const ExitCodeWords& code : parts.codes) {
    found.push_back({{exit_key(code)}, code.words});
  }
}

void collect(const CLI::App& command, const std::string& path, std::vector<HelpText>& found) {
  found.push_back({{key_of(path)}, command.get_description()});
  if (is_for_developers(path)) {
    return;
  }
  for (const CLI::Option* option : command.get_options()) {
    found.push_back({keys_of(*option, path), option->get_description()});
  }
  collect_footer(command, path, found);
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    collect(*sub, path_of(*sub, path), found);
  }
}

}  // namespace

bool is_for_developers(std::string_view path) {
  return std::find(kForDevelopers.begin(), kForDevelopers.end(), path.substr(0, path.find('_'))) !=
         kForDevelopers.end();
}

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
  collect_footer(program, "_program", found);
  for (const Label& label : kLabels) {
    found.push_back({{key_of(label.key)}, label.ours});
  }
  for (const char* label : {"_options", "_commands", "_exitCodes"}) {
    found.push_back({{key_of(label)}, ""});
  }
  return found;
}

}  // namespace framegov::cli

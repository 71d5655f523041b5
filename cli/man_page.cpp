// SPDX-License-Identifier: Apache-2.0
#include "cli/man_page.h"

#include <algorithm>
#include <cctype>

namespace framegov::cli {

namespace {

/// Text as roff takes it: no line begins with a control character, dashes stay dashes.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    line_begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_name(const OptionFacts& option) {
  std::string name;
  for (const std::string& each : option.names) {
    name += (name.empty() ? "\\fB" : ", \\fB") + roff(each) + "\\fR";
  }
  if (!option.argument && !option.value.empty()) {
    name += " \\fI" + roff(option.value) + "\\fR";
  }
  return name + (option.repeated ? "..." : "");
}

/// " (required; one of: a b; default: b)": what the description does not say.
std::string rules_of(const OptionFacts& option) {
  std::string rules;
  const auto add = [&rules](const std::string& rule) {
    rules += (rules.empty() ? " (" : "; ") + rule;
  };
  if (option.required && !option.argument) {
    add("required");
  }
  std::string choices;
  for (const std::string& choice : option.choices) {
    choices += " " + roff(choice);
  }
  if (!choices.empty()) {
    add("one of:" + choices);
  }
  if (!option.range.empty()) {
    add(roff(option.range));
  }
  if (!option.usual.empty()) {
    add("default: " + roff(option.usual));
  }
  return rules.empty() ? rules : rules + ")";
}

std::string options_text(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    text +=
        ".TP\n" + option_name(option) + "\n" + roff(option.description) + rules_of(option) + "\n";
  }
  return text;
}

/// Examples keep their lines.
std::string footer_text(const std::string& footer) { return ".nf\n" + roff(footer) + "\n.fi\n"; }

std::string synopsis(const CommandFacts& command, const std::string& path) {
  std::string text = "\\fB" + roff(path) + "\\fR";
  for (const OptionFacts& option : command.options) {
    if (!option.argument && !option.required) {
      continue;
    }
    const std::string name = option.argument ? "\\fI" + roff(option.names.front()) + "\\fR" +
                                                   (option.repeated ? "..." : "")
                                             : option_name(option);
    text += option.required ? " " + name : " [" + name + "]";
  }
  return text + (command.commands.empty() ? "" : " \\fIcommand\\fR") + " [\\fIoptions\\fR]";
}

void add_commands(const CommandFacts& command, const std::string& path, std::string& text) {
  for (const CommandFacts& sub : command.commands) {
    const std::string below = path + " " + sub.name;
    text += ".SS " + synopsis(sub, below) + "\n" + roff(sub.description) + ".\n" +
            options_text(sub) + (sub.footer.empty() ? "" : ".PP\n" + footer_text(sub.footer));
    add_commands(sub, below, text);
  }
}

}  // namespace

std::string man_page(const CommandFacts& program, int section, std::string_view version,
                     const std::vector<EnvironmentFacts>& environment) {
  const std::size_t colon = program.description.find(": ");
  const std::string what =
      colon == std::string::npos ? program.description : program.description.substr(colon + 2);
  std::string text = ".TH " + upper(program.name) + " " + std::to_string(section) + " \"\" \"" +
                     program.name + " " + std::string(version) + "\"\n";
  text += ".SH NAME\n" + roff(program.name) + " \\- " + roff(what) + "\n";
  text += ".SH SYNOPSIS\n" + synopsis(program, program.name) + "\n";
  text += ".SH OPTIONS\n" + options_text(program);
  if (!program.commands.empty()) {
    text += ".SH COMMANDS\n";
    add_commands(program, program.name, text);
  }
  if (!environment.empty()) {
    text += ".SH ENVIRONMENT\n";
  }
  for (const EnvironmentFacts& each : environment) {
    text += ".TP\n\\fB" + roff(each.name) + "\\fR\n" + roff(each.description) + "\n";
  }
  if (!program.footer.empty()) {
    text += ".SH NOTES\n" + footer_text(program.footer);
  }
  return text;
}

}  // namespace framegov::cli

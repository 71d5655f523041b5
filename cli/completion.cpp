// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>
#include <string_view>

namespace framegov::cli {

namespace {

/// 'text' with `before` and `after` around each of the `special` characters.
std::string in_quotes(const std::string& text, std::string_view special, std::string_view before,
                      std::string_view after) {
  std::string quoted = "'";
  for (const char c : text) {
    const bool escaped = special.find(c) != std::string_view::npos;
    quoted.append(escaped ? before : "").append(1, c).append(escaped ? after : "");
  }
  return quoted + "'";
}

/// For bash and zsh: the quotes are closed for a quote.
std::string quoted(const std::string& text) { return in_quotes(text, "'", "'\\", "'"); }

/// For fish: within quotes a backslash escapes.
std::string fish_quoted(const std::string& text) { return in_quotes(text, "'\\", "\\", ""); }

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string all;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : std::string(separator)) + word;
  }
  return all;
}

/// Words that may come after a command: subcommands, options, and choices of arguments.
std::vector<std::string> words_after(const CommandFacts& command) {
  std::vector<std::string> words;
  for (const CommandFacts& sub : command.commands) {
    words.push_back(sub.name);
  }
  for (const OptionFacts& option : command.options) {
    const auto& more = option.argument ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

/// "sim", "device show": the path of a command below the root.
using Path = std::string;

template <class Handler>
void for_each_command(const CommandFacts& command, const Path& path, Handler&& handle) {
  handle(path, command);
  for (const CommandFacts& sub : command.commands) {
    for_each_command(sub, path.empty() ? sub.name : path + " " + sub.name, handle);
  }
}

std::string bash_choices(const CommandFacts& command) {
  std::string cases;
  for (const OptionFacts& option : command.options) {
    if (!option.argument && !option.choices.empty()) {
      cases += "        " + joined(option.names, "|") +
               ") words=" + quoted(joined(option.choices, " ")) + (option.list ? " list=yes" : "") +
               " ;;\n";
    }
  }
  return cases;
}

/// zsh takes brackets and colons in a specification for its own.
std::string zsh_text(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '[' || c == ']' || c == ':'; }, ' ');
  return text;
}

std::string zsh_value(const OptionFacts& option) {
  const std::string words = joined(option.choices, " ");
  const std::string what = option.choices.empty() ? "_files"
                           : option.list ? "_values -s , " + option.names.front() + " " + words
                                         : "(" + words + ")";
  return ":" + zsh_text(option.value.empty() ? option.names.front() : option.value) + ":" + what;
}

std::string fish_option(const std::string& condition, const OptionFacts& option) {
  std::string line = "complete -c framegov -n " + condition;
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!option.value.empty()) {
    line += " -r";
  }
  if (!option.choices.empty()) {
    line += option.list
                ? " -f -a " + fish_quoted("(__framegov_list " + joined(option.choices, " ") + ")")
                : " -a " + fish_quoted(joined(option.choices, " "));
  }
  return line + " -d " + fish_quoted(option.description) + "\n";
}

}  // namespace

std::string bash_completion(const CommandFacts& root) {
  std::string cases;
  for_each_command(root, "", [&cases](const Path& path, const CommandFacts& command) {
    cases += "    " + quoted(path) + ")\n      words=" + quoted(joined(words_after(command), " ")) +
             "\n";
    const std::string choices = bash_choices(command);
    cases +=
        choices.empty() ? "      ;;\n" : "      case $previous in\n" + choices + "      esac ;;\n";
  });
  std::string paths;
  for_each_command(root, "", [&paths](const Path& path, const CommandFacts& command) {
    for (const CommandFacts& sub : command.commands) {
      const Path below = path.empty() ? sub.name : path + " " + sub.name;
      paths += (paths.empty() ? "      " : "|") + quoted(below);
    }
  });
  return "# bash completion for framegov: . <(framegov completion bash)\n"
         "_framegov() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local path='' words='' list='' word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"${path:+$path }$word\" in\n" +
         paths +
         ") path=\"${path:+$path }$word\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case $path in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$list\" ] && [[ $current == *,* ]]; then\n"
         "    local before=${current%,*},\n"
         "    COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${current##*,}\"))\n"
         "    return\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _framegov framegov\n";
}

std::string zsh_completion(const CommandFacts& root) {
  std::string text =
      "#compdef framegov\n# zsh completion for framegov: . <(framegov completion zsh)\n";
  for_each_command(root, "", [&text](const Path& path, const CommandFacts& command) {
    std::string function = "_framegov" + (path.empty() ? "" : "_" + path);
    std::replace(function.begin(), function.end(), ' ', '_');
    text += function + "() {\n  _arguments -C";
    for (const OptionFacts& option : command.options) {
      const std::string value =
          option.argument || !option.value.empty() ? zsh_value(option) : std::string();
      if (option.argument) {
        text += " \\\n    " + quoted((option.repeated ? "*" : "") + value);
        continue;
      }
      for (const std::string& name : option.names) {
        text += " \\\n    " + quoted(name + "[" + zsh_text(option.description) + "]" + value);
      }
    }
    if (command.commands.empty()) {
      text += "\n}\n";
      return;
    }
    text +=
        " \\\n    '1:command:->command' '*::arguments:->arguments'\n  case $state in\n"
        "    command)\n      local -a commands=(\n";
    for (const CommandFacts& sub : command.commands) {
      text += "        " + quoted(sub.name + ":" + zsh_text(sub.description)) + "\n";
    }
    text += "      )\n      _describe command commands ;;\n    arguments) " + function +
            "_$words[1] ;;\n  esac\n}\n";
  });
  // Both ways of loading: from a folder of zsh's, and sourced.
  return text +
         "if [ \"$funcstack[1]\" = _framegov ]; then\n  _framegov \"$@\"\nelse\n"
         "  compdef _framegov framegov\nfi\n";
}

std::string fish_completion(const CommandFacts& root) {
  std::string text =
      "# fish completion for framegov: framegov completion fish | source\n"
      "function __framegov_list\n"
      "  set -l before (string match -r '.*,' -- (commandline -ct))\n"
      "  for word in $argv\n"
      "    echo $before$word\n"
      "  end\n"
      "end\n";
  for_each_command(root, "", [&text](const Path& path, const CommandFacts& command) {
    // Seen the whole path: good enough for two levels.
    std::string condition = "__fish_use_subcommand";
    std::string_view rest = path;
    for (bool first = true; !rest.empty(); first = false) {
      const std::size_t space = rest.find(' ');
      condition = (first ? std::string() : condition + "; and ") + "__fish_seen_subcommand_from " +
                  std::string(rest.substr(0, space));
      rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
    }
    condition = fish_quoted(condition);
    for (const CommandFacts& sub : command.commands) {
      text += "complete -c framegov -f -n " + condition + " -a " + sub.name + " -d " +
              fish_quoted(sub.description) + "\n";
    }
    for (const OptionFacts& option : command.options) {
      if (!option.argument) {
        text += fish_option(condition, option);
      } else if (!option.choices.empty()) {
        text += "complete -c framegov -f -n " + condition + " -a " +
                fish_quoted(joined(option.choices, " ")) + "\n";
      }
    }
  });
  return text;
}

}  // namespace framegov::cli

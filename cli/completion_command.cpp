// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/completion.h"

namespace framegov::cli {

void register_completion(CLI::App& app, CommandResult& /*result*/) {
  auto* command = app.add_subcommand("completion", "Print a script that completes command lines");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Which shell it is for")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  . <(framegov completion bash)\n"
      "  framegov completion zsh > ~/.zfunc/_framegov\n"
      "  framegov completion fish | source\n"
      "Exit codes: 0 ok, 2 wrong usage.");
  command->callback([shell, &app] {
    const CommandFacts root = facts_of(app);
    std::cout << (*shell == "bash"  ? bash_completion(root)
                  : *shell == "zsh" ? zsh_completion(root)
                                    : fish_completion(root));
  });
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/option_values.h"
#include "config/load.h"
#include "config/profile_fields.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/policy_registry.h"

namespace framegov::cli {

namespace {

using Words = std::vector<std::string>;

/// Offers `words` for an option or argument that takes others too.
void offer(CommandFacts& command, const std::string& option, const Words& words,
           bool list = false) {
  for (OptionFacts& each : command.options) {
    if (each.names.front() == option) {
      each.choices = words;
      each.list = list;
    }
  }
}

CommandFacts& command_named(CommandFacts& parent, const std::string& name) {
  return *std::find_if(parent.commands.begin(), parent.commands.end(),
                       [&](const CommandFacts& each) { return each.name == name; });
}

/// The phones, policies and modes that come with the program.
void offer_shipped_names(CommandFacts& root) {
  Words devices;
  if (const auto catalog = sim::DeviceCatalog::load("")) {
    for (const sim::DeviceModel& device : catalog->devices()) {
      devices.push_back(device.name);
    }
  }
  Words policies;
  for (const sim::PolicyEntry& policy : sim::policy_registry()) {
    policies.emplace_back(policy.name);
  }
  Words modes;
  if (const auto settings = parse_settings("", "")) {
    for (const auto& [mode, profile] : settings->profiles.modes) {
      modes.push_back(mode);
    }
  }
  offer(command_named(command_named(root, "profile"), "show"), "--mode", modes);
  modes.emplace_back("auto");
  offer(command_named(root, "mode"), "NAME", modes);
  Words commands;
  for (const CommandFacts& command : root.commands) {
    commands.push_back(command.name);
  }
  offer(command_named(root, "help"), "COMMAND", commands);
  Words settings;
  for_each_profile_field([&settings](const auto& field) {
    settings.push_back(std::string(field.name) +
                       (std::is_same_v<std::decay_t<decltype(field)>, LimitsField> ? "." : "="));
  });
  offer(command_named(command_named(root, "profile"), "set"), "SETTING", settings);
  offer(command_named(command_named(root, "device"), "show"), "NAME", devices);
  offer(command_named(command_named(root, "device"), "check"), "--against", devices);
  CommandFacts& sim = command_named(root, "sim");
  devices.emplace_back("all");
  policies.emplace_back("all");
  offer(sim, "--device", devices, true);
  offer(sim, "--policy", policies, true);
}

}  // namespace

void register_completion(CLI::App& app, CommandResult& /*result*/) {
  auto* command = app.add_subcommand("completion", "Print a script that completes command lines");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Which shell it is for")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}));
  command->footer(
      "Examples:\n"
      "  . <(framegov completion bash)\n"
      "  framegov completion zsh > ~/.zfunc/_framegov\n"
      "  framegov completion fish | source\n"
      "Exit codes: 0 ok, 2 wrong usage.");
  command->callback([shell, &app] {
    CommandFacts root = facts_of(app);
    offer_shipped_names(root);
    std::cout << (*shell == "bash"  ? bash_completion(root)
                  : *shell == "zsh" ? zsh_completion(root)
                                    : fish_completion(root));
  });
}

}  // namespace framegov::cli

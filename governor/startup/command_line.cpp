// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/unknown_name.h"

namespace framegov {

namespace {

constexpr const char* kFooter = R"(examples:
  framegovd                                govern with the built-in settings and profiles
  framegovd --config /data/adb/framegov/framegov.yaml
  framegovd --restore                      put back what a killed service left, and end
  framegovd --enable                       start again after too many starts that did not last

Settings and profiles are read again whenever they are saved; `framegov check` finds mistakes first.
signals: SIGTERM and SIGINT put every limit back and end the service; SIGHUP reads the settings again.
exit codes: 0 ok, 1 failure, 2 wrong usage, 3 bad input, 4 no permission, 5 unsupported)";

/// A program or one of its commands as it was typed: "framegov profile show".
struct Typed {
  const CLI::App* app;
  std::string name;
};

/// The first command, from the program on, that `fits`; else the last.
template <class Fits>
Typed typed_command(const CLI::App& root, Fits&& fits) {
  Typed typed{&root, root.get_name()};
  while (!fits(*typed.app) && !typed.app->get_subcommands().empty()) {
    typed.app = typed.app->get_subcommands().front();
    typed.name += " " + typed.app->get_name();
  }
  return typed;
}

/// What owners call a command that has another name.
struct Synonym {
  std::string_view word;
  std::string_view command;
};
constexpr std::array kSynonyms = {
    Synonym{"stop", "pause"},   Synonym{"off", "pause"}, Synonym{"disable", "pause"},
    Synonym{"start", "resume"}, Synonym{"on", "resume"}, Synonym{"enable", "resume"},
    Synonym{"why", "explain"},
};

/// The command that the word stands for; the word itself where it stands for none.
std::string meant_by(const std::string& word, const std::vector<std::string>& names) {
  const auto* const found =
      std::find_if(kSynonyms.begin(), kSynonyms.end(), [&](const Synonym& each) {
        return each.word == word &&
               std::find(names.begin(), names.end(), each.command) != names.end();
      });
  return found == kSynonyms.end() ? word : std::string(found->command);
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::string what = "unexpected";
  if (word.starts_with('-')) {
    what = "no option";
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
  } else {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      what = "no command";
      names.push_back(command->get_name());
    }
  }
  const std::string name = word.substr(0, word.find('='));
  return what + " '" + name + "'" +
         did_you_mean(meant_by(name, names), {names.begin(), names.end()});
}

/// What is missing, and what may stand there: "STATE is required: on, off, or auto".
std::string missing_word(const CLI::App& app, const std::string& what) {
  for (const CLI::Option* option : app.get_options()) {
    if (what.starts_with(option->get_name() + " ")) {
      const std::string words = option->get_description();
      return what + ": " + words.substr(0, std::min(words.find(';'), words.find("；")));
    }
  }
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names.empty() ? what : what + ": " + list_of({names.begin(), names.end()});
}

std::string usage_message(const CLI::App* root, const CLI::Error& error) {
  const auto has_unknown = [](const CLI::App& app) { return app.remaining_size() != 0; };
  const Typed typed = typed_command(*root, has_unknown);
  // What is missing may be what the word was meant to be; a value that is wrong is told first.
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const bool of_words =
      kind == CLI::ExitCodes::RequiredError || kind == CLI::ExitCodes::ExtrasError;
  const std::string what = !of_words ? std::string(error.what())
                           : has_unknown(*typed.app)
                               ? unknown_word(*typed.app, typed.app->remaining().front())
                               : missing_word(*typed.app, error.what());
  return root->get_name() + ": " + what + "\n  " + typed.name + " --help lists what there is\n";
}

}  // namespace

void add_service_options(CLI::App& app, ServiceOptions& options) {
  app.description("framegovd: the frame-aware CPU frequency governor's service");
  app.name("framegovd");
  app.footer(kFooter);
  app.set_version_flag("--version", FRAMEGOV_VERSION);
  tell_mistakes_as_program(app);
  app.add_option("--config", options.config, "YAML file with settings; defaults hold without one")
      ->type_name("FILE");
  auto* restore = app.add_flag("--restore", options.restore,
                               "restore the limits that a killed service left, and exit");
  auto* enable = app.add_flag("--enable", options.enable,
                              "enable a service that was disabled after failed starts, and exit");
  auto* alone =
      app.add_flag("--no-supervise", options.no_supervise,
                   "no second process; for an init that restarts the service and runs --restore");
  restore->excludes(enable)->excludes(alone);
  enable->excludes(alone);
}

void tell_mistakes_as_program(CLI::App& app) { app.failure_message(usage_message); }

}  // namespace framegov

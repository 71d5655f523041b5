// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/explain_text.h"
#include "cli/json_read.h"
#include "cli/option_values.h"
#include "cli/owner_texts.h"
#include "cli/profile_lookup.h"
#include "cli/profile_output.h"
#include "cli/service_link.h"

namespace framegov::cli {

namespace {

struct ExplainArguments {
  std::string app;
  std::string config;
  int last = 10;
  bool json = false;
};

void print_answer(const nlohmann::json& answer) {
  const double now = number_in(answer, "now_ns");
  const OwnerTexts& texts = owner_texts();
  for (const auto& decision : at(answer, "decisions")) {
    const std::string seconds = formatted("%8.3f", (now - number_in(decision, "at_ns")) / 1e9);
    std::cout << texts.text("secondsBefore", {{"seconds", seconds}}) << "  "
              << text_in(decision, "app") << ": " << sentence(decision, texts) << '\n';
  }
}

/// What the app's profile asks for; nothing where the configuration cannot be read.
void print_settings(const ExplainArguments& arguments) {
  if (const auto loaded = load_profiles(arguments.config); loaded && !arguments.app.empty()) {
    std::cout << profile_sentence(loaded->profile(loaded->mode(arguments.app), arguments.app),
                                  owner_texts())
              << '\n';
  }
}

}  // namespace

void register_explain(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("explain", "Explain the last decisions in sentences");
  auto arguments = std::make_shared<ExplainArguments>();
  command->add_option("APP", arguments->app, "Only decisions for this package");
  command->add_option("-n,--last", arguments->last, "How many decisions")
      ->type_name("N")
      ->check(number_between(1, static_cast<int>(kMostExplained)))
      ->capture_default_str();
  command->add_option("--config", arguments->config, "The service's YAML file, for APP's settings")
      ->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(std::string("Examples:\n"
                              "  framegov explain\n"
                              "  framegov explain com.example.game --last 50\n") +
                  kLinkExitCodes);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    const auto answer =
        link.ask({{"cmd", "explain"}, {"app", arguments->app}, {"last", arguments->last}});
    if (!answer) {
      report(result, answer.error());
    } else if (arguments->json) {
      std::cout << json_text(*answer) << '\n';
    } else if (at(*answer, "decisions").empty()) {
      std::cout << owner_texts().text("nothingDecided") << '\n';
    } else {
      print_answer(*answer);
      print_settings(*arguments);
    }
  });
}

}  // namespace framegov::cli

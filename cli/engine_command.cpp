// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_text.h"
#include "cli/command.h"
#include "cli/engine_text.h"
#include "cli/json_read.h"
#include "cli/option_values.h"
#include "cli/service_link.h"
#include "cli/service_phone.h"
#include "config/load.h"
#include "governor/engines/engine_switches.h"
#include "governor/state/trusted_file.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

constexpr const char* kList = "list";

constexpr const char* kFooter =
    R"(Vendors' engines and other modules steer the same CPUs. This names them, says what each asks for,
and switches one off by its own node; what the node read before is put back exactly by `on`,
`framegovd --restore` and the uninstaller. After a reboot every engine is as the phone starts it.
With --app it is off only while that app is on top, until Ctrl-C.
docs/engines.md says how engines are recognised.
Examples:
  framegov engine list
  framegov engine fpsgo status
  framegov engine fpsgo off
  framegov engine fpsgo on
  framegov engine fpsgo off --app com.example.game
Exit codes: 0 ok, 1 it failed, 2 wrong usage, 3 refused, 4 no permission, 5 this phone has no such
engine, or no switch of it is known.)";

struct EngineArguments {
  std::string name;
  std::string state;
  std::string app;
  std::string config;
  bool json = false;
};

std::vector<std::string> engine_words() {
  std::vector<std::string> words = engine_names();
  words.insert(words.begin(), kList);
  return words;
}

Status wrong_words(const EngineArguments& arguments) {
  const bool lists = arguments.name == kList;
  if (lists != arguments.state.empty()) {
    return fail(ExitCode::kUsage,
                lists ? "list takes no state" : arguments.name + ": on, off or status?",
                "framegov engine " + (lists ? std::string(kList) : arguments.name + " status"));
  }
  if (!arguments.app.empty() && (arguments.state != "off" || arguments.json)) {
    return fail(ExitCode::kUsage, "--app goes with off, and without --json",
                "framegov engine NAME off --app PACKAGE");
  }
  return {};
}

void print_all(const Json& engines, bool json) {
  if (json) {
    std::cout << json_text(Json{{"engines", engines}}) << '\n';
    return;
  }
  for (const Json& each : engines) {
    std::cout << engine_text(each, owner_texts());
  }
  if (engines.empty()) {
    std::cout << owner_texts().text("cli_noEngines") << '\n';
  }
}

Status print_one(const ServiceSettings& settings, const EngineArguments& arguments) {
  for (const Json& each : engines_json(settings)) {
    if (text_in(each, "name") == arguments.name) {
      std::cout << (arguments.json ? json_text(each) + "\n" : engine_text(each, owner_texts()));
      return {};
    }
  }
  return fail(ExitCode::kUnsupported, arguments.name + " is not on this phone",
              "framegov engine list shows what is");
}

Status switch_engine(EngineSwitches& switches, const FrameEngine& engine, bool on) {
  return on ? switches.on(engine) : switches.off(engine);
}

/// Off while the app is on top, until a signal ends it or something fails: then as before.
Status hold_off(EngineSwitches& switches, const FrameEngine& engine, const std::string& app,
                const ServiceLink& link) {
  constexpr Duration kLookEvery = std::chrono::seconds{1};
  FRAMEGOV_TRY(auto client, link.connect());
  block_ending_signals();
  bool on = true;
  const auto follow = [&]() -> Status {
    do {
      FRAMEGOV_TRY(const auto status, client.ask({{"cmd", "status"}}));
      if (const bool wanted = text_in(status, "app") != app; wanted != on) {
        FRAMEGOV_TRY_STATUS(switch_engine(switches, engine, wanted));
        on = wanted;
        std::cout << engine.name << ": " << owner_texts().text(on ? "cli_on" : "cli_off")
                  << std::endl;
      }
    } while (!ending_signal_within(kLookEvery));
    return {};
  };
  Status followed = follow();
  const Status back = switches.on(engine);
  return followed ? back : followed;
}

Status run(const EngineArguments& arguments, const ServiceLink& link) {
  FRAMEGOV_TRY_STATUS(wrong_words(arguments));
  FRAMEGOV_TRY(const auto settings, load_command_settings(config_or_usual(arguments.config)));
  if (arguments.name == kList) {
    print_all(engines_json(settings.service), arguments.json);
    return {};
  }
  if (arguments.state == "status") {
    return print_one(settings.service, arguments);
  }
  FRAMEGOV_TRY(const FrameEngine* const engine, find_engine(arguments.name));
  FRAMEGOV_TRY(auto switches,
               EngineSwitches::open(EngineRoots(settings.service), settings.service.state_dir));
  if (!arguments.app.empty()) {
    return hold_off(switches, *engine, arguments.app, link);
  }
  FRAMEGOV_TRY_STATUS(switch_engine(switches, *engine, arguments.state == "on"));
  return print_one(settings.service, arguments);
}

}  // namespace

void register_engine(CLI::App& app, CommandResult& result) {
  auto* command =
      app.add_subcommand("engine", "Show other frame engines on the phone, or switch one off");
  auto arguments = std::make_shared<EngineArguments>();
  command->add_option("NAME", arguments->name, "list, or an engine's name")
      ->required()
      ->check(one_of(engine_words()));
  command->add_option("STATE", arguments->state, "What to do with it")
      ->check(one_of({"on", "off", "status"}));
  command->add_option("--app", arguments->app, "Off only while this app is on top")
      ->type_name("PACKAGE")
      ->check(package_name());
  command->add_option("--config", arguments->config, "The service's YAML file")->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kFooter);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    report_failure(result, run(*arguments, link));
  });
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include "cli/ab/outcome.h"
#include "cli/command.h"
#include "cli/profile_lookup.h"
#include "cli/service_link.h"
#include "cli/service_phone.h"

namespace framegov::cli {

namespace {

constexpr const char* kFooter =
    R"(Alternates windows with and without framegov for one app, in random order, and compares what the
battery gives and how many frames are missed. Unplug the phone and use the app all the while.
Ctrl-C ends early with what there is. docs/ab.md tells why it can be believed.
Examples:
  framegov ab --app com.example.reader
  framegov ab --app com.example.game --minutes 60 --html /sdcard/ab.html
  framegov ab --app com.example.game --minutes 20 --json
Exit codes: 0 ok (a difference or none), 1 no service runs or it failed, 2 wrong usage,
3 the configuration has problems, 5 the phone charges or has no fuel gauge.)";

struct AbArguments {
  std::string app;
  std::string config;
  std::string power_supply = "/sys/class/power_supply";
  std::string html;
  double minutes = 30;
  double window = 60;
  double settle = 10;
  std::uint64_t seed = std::random_device{}();
  bool json = false;
};

ab::Plan plan_of(const AbArguments& arguments) {
  constexpr double kSecondsPerMinute = 60;
  const double pairs = arguments.minutes * kSecondsPerMinute / (2 * arguments.window);
  return {static_cast<std::size_t>(pairs), seconds_to_duration(arguments.window), arguments.seed};
}

Status wrong_plan(const AbArguments& arguments) {
  if (plan_of(arguments).pairs < ab::kFewestPairs) {
    return fail(ExitCode::kUsage,
                "too short to tell anything: at least 6 pairs of windows are needed",
                "more --minutes, or shorter windows (--window)");
  }
  constexpr double kFewestSeconds = 5;
  if (arguments.window - arguments.settle < kFewestSeconds) {
    return fail(ExitCode::kUsage, "less than 5 s of each window would be left after settling",
                "a longer --window, or a shorter --settle");
  }
  return {};
}

void print_progress(const ab::Progress& progress) {
  std::cerr << "window " << progress.window + 1 << " of " << progress.windows << ": "
            << (progress.arm == ab::Arm::kStock ? "stock" : "framegov") << '\n';
}

Result<ab::Outcome> run(const AbArguments& arguments, const ServiceLink& link) {
  if (Status wrong = wrong_plan(arguments); !wrong) {
    return tl::unexpected(wrong.error());
  }
  auto gauge = ab::FuelGauge::find(arguments.power_supply);
  if (!gauge) {
    return tl::unexpected(gauge.error());
  }
  const auto profiles = load_profiles(arguments.config);
  if (!profiles) {
    return tl::unexpected(profiles.error());
  }
  auto client = link.connect();
  if (!client) {
    return tl::unexpected(client.error());
  }
  block_ending_signals();
  const auto switched =
      profiles->switches ? profiles->switches->app(arguments.app) : std::optional<bool>{};
  ServicePhone phone(*std::move(client), *std::move(gauge), {arguments.app, switched});
  const auto windows = run_experiment(phone, plan_of(arguments), print_progress);
  if (!windows) {
    return tl::unexpected(windows.error());
  }
  return ab::Outcome{arguments.app, arguments.seed,
                     ab::compare(*windows, seconds_to_duration(arguments.settle))};
}

void tell(const AbArguments& arguments, const ab::Outcome& outcome, CommandResult& result) {
  if (arguments.json) {
    std::cout << ab::to_json(outcome) << '\n';
  } else {
    for (const std::string& sentence : ab::sentences(outcome)) {
      std::cout << sentence << '\n';
    }
  }
  if (!arguments.html.empty() && !(std::ofstream(arguments.html) << ab::to_page(outcome))) {
    report(result, {ExitCode::kFailure, arguments.html + ": cannot be written", ""});
  }
}

}  // namespace

void register_ab(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("ab", "Measure on this phone's battery what framegov changes");
  auto arguments = std::make_shared<AbArguments>();
  command->add_option("--app", arguments->app, "Package name of the app")
      ->required()
      ->option_text("PACKAGE");
  command->add_option("--minutes", arguments->minutes, "In all")
      ->check(CLI::Range(0.5, 1440.0))
      ->capture_default_str();
  command->add_option("--window", arguments->window, "Seconds of one window, with its settling")
      ->check(CLI::Range(6.0, 3600.0))
      ->capture_default_str();
  command->add_option("--settle", arguments->settle, "Seconds left out after each switch")
      ->check(CLI::Range(0.0, 600.0))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of the lot that orders the windows");
  command
      ->add_option("--power-supply", arguments->power_supply, "Where the kernel tells of batteries")
      ->option_text("DIR");
  command->add_option("--config", arguments->config, "The service's YAML file")
      ->option_text("FILE");
  command->add_option("--html", arguments->html, "Write a page with the result")
      ->option_text("FILE");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(kFooter);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    const auto outcome = run(*arguments, link);
    outcome ? tell(*arguments, *outcome, result) : report(result, outcome.error());
  });
}

}  // namespace framegov::cli

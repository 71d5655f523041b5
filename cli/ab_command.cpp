// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>

#include "base/json_text.h"
#include "cli/ab/outcome.h"
#include "cli/ab_forecast.h"
#include "cli/ab_record.h"
#include "cli/ab_text.h"
#include "cli/command.h"
#include "cli/engine_phone.h"
#include "cli/json_read.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/profile_lookup.h"
#include "cli/progress_line.h"
#include "cli/service_link.h"
#include "cli/service_phone.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

constexpr const char* kFooter =
    R"(Alternates windows with and without framegov for one app, in random order, and compares what the
battery gives and how many frames are missed. Unplug the phone and use the app all the while.
Ctrl-C ends early with the result so far. docs/ab.md says why it can be trusted.
--background runs on its own: --show shows its progress or the last result, --stop ends it early.
Examples:
  framegov ab --app com.example.reader
  framegov ab --app com.example.game --minutes 60 --html /sdcard/ab.html
  framegov ab --app com.example.game --minutes 20 --json
  framegov ab --app com.example.game --background
  framegov ab --app com.example.game --engine fpsgo
  framegov ab --app com.example.game --forecast game.pftrace
  framegov ab --app com.example.game --forecast game.pftrace --engine fpsgo
  framegov ab --app com.example.game --forecast game.pftrace --dry-run
Exit codes: 0 ok (a difference or none), 1 the service is not running or failed, 2 wrong usage,
3 the configuration, the recording or the device file has problems, 4 others could change it (told
to root), 5 the phone charges, has no fuel gauge, or has no such engine.)";

struct AbArguments {
  std::string app;
  std::string config;
  std::string power_supply = "/sys/class/power_supply";
  std::string html;
  std::string engine;  ///< that steers in the windows without framegov only; empty: none
  double minutes = 30;
  double window = 60;
  double settle = 10;
  std::optional<std::uint64_t> seed;  ///< drawn when the experiment begins, where not given
  ForecastOptions forecast;
  bool dry_run = false;
  bool json = false;
  bool background = false;
  bool show = false;
  bool stop = false;
};

/// Everything that an experiment needs, found and opened.
struct Ready {
  std::unique_ptr<ab::Phone> phone;
  AbRecord record;
  std::optional<ab::Expectation> expected;
};

using OnWindow = std::function<void(const ab::Progress&)>;

ab::Plan plan_of(const AbArguments& arguments) {
  constexpr double kSecondsPerMinute = 60;
  const double pairs = arguments.minutes * kSecondsPerMinute / (2 * arguments.window);
  return {static_cast<std::size_t>(pairs), seconds_to_duration(arguments.window)};
}

Status wrong_plan(const AbArguments& arguments) {
  if (arguments.app.empty()) {
    return fail(ExitCode::kUsage, "--app is required", "framegov ab --app PACKAGE");
  }
  constexpr double kLongestInBackground = 480;
  if (arguments.background && arguments.minutes > kLongestInBackground) {
    return fail(ExitCode::kUsage, "--background takes 480 --minutes at most");
  }
  if (plan_of(arguments).pairs < ab::kFewestPairs) {
    return fail(ExitCode::kUsage, "too short for a result: at least 6 pairs of windows are needed",
                "more --minutes, or shorter windows (--window)");
  }
  constexpr double kFewestSeconds = 5;
  if (arguments.window - arguments.settle < kFewestSeconds) {
    return fail(ExitCode::kUsage, "less than 5 s of each window would be left after settling",
                "a longer --window, or a shorter --settle");
  }
  return {};
}

/// A window's time is known: so is what is left, before the first one has ended.
std::string time_left(const ab::Progress& progress, double window_s) {
  return rough_time(
      seconds_to_duration(static_cast<double>(progress.windows - progress.window) * window_s));
}

/// As docs/ab.md has it. As JSON its sentences are English, whatever language an owner has.
nlohmann::ordered_json told_json(const ab::Outcome& outcome,
                                 const OwnerTexts& texts = english_texts()) {
  nlohmann::ordered_json result = ab::to_json(outcome);
  result["sentences"] = ab_sentences(Json(result), texts);
  return result;
}

void print_sentences(const Json& result) {
  for (const std::string& sentence : ab_sentences(result, owner_texts())) {
    std::cout << sentence << '\n';
  }
}

void print_progress(const ab::Progress& progress, double window_s) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::cerr << ab_window_text(progress, terminal ? time_left(progress, window_s) : "",
                              owner_texts())
            << '\n';
}

Result<std::optional<ab::Expectation>> expectation(const AbArguments& arguments,
                                                   const LoadedProfiles& profiles) {
  if (arguments.forecast.recording.empty()) {
    return std::optional<ab::Expectation>();
  }
  return expect_of(arguments.forecast, arguments.app, arguments.engine, profiles);
}

Result<std::unique_ptr<Ready>> prepare(const AbArguments& arguments, const ServiceLink& link) {
  FRAMEGOV_TRY_STATUS(wrong_plan(arguments));
  FRAMEGOV_TRY_STATUS(require_writable(arguments.html));
  FRAMEGOV_TRY(auto gauge, ab::FuelGauge::find(arguments.power_supply));
  FRAMEGOV_TRY(const auto profiles, load_profiles(arguments.config));
  FRAMEGOV_TRY(auto expected, expectation(arguments, profiles));  // takes long: nobody waits yet
  FRAMEGOV_TRY(auto client, link.connect());
  FRAMEGOV_TRY(const auto status, client.ask({{"cmd", "status"}}));
  if (at(status, "paused").is_object()) {
    return fail(ExitCode::kFailure, "governing is paused: both arms would be the same",
                "framegov resume ends the pause");
  }
  // Two at once would measure each other.
  FRAMEGOV_TRY(auto record, AbRecord::open(profiles.settings.service.state_dir));
  FRAMEGOV_TRY_STATUS(record.claim());
  block_ending_signals();
  std::unique_ptr<ab::Phone> phone =
      std::make_unique<ServicePhone>(std::move(client), std::move(gauge), arguments.app);
  if (!arguments.engine.empty()) {
    FRAMEGOV_TRY(const FrameEngine* const engine, find_engine(arguments.engine));
    FRAMEGOV_TRY(phone, against_engine(std::move(phone), profiles.settings.service, *engine));
  }
  return std::unique_ptr<Ready>(
      new Ready{std::move(phone), std::move(record), std::move(expected)});
}

Result<ab::Outcome> run(const AbArguments& arguments, Ready& ready, const OnWindow& on_window) {
  ab::Plan plan = plan_of(arguments);
  // Not before: a young phone waits long for its first entropy.
  plan.seed = arguments.seed ? *arguments.seed : std::random_device{}();
  FRAMEGOV_TRY(const auto windows, run_experiment(*ready.phone, plan, on_window));
  return ab::Outcome{arguments.app, plan.seed,
                     ab::compare(windows, seconds_to_duration(arguments.settle)), arguments.engine,
                     ready.expected};
}

Json progress_json(const AbArguments& arguments, const ab::Progress& progress) {
  return {{"app", arguments.app},
          {"window", progress.window},
          {"windows", progress.windows},
          {"window_s", arguments.window},
          {"minutes", arguments.minutes}};
}

/// The process that is left to itself: what there is to tell goes into the record.
void run_alone(const AbArguments& arguments, Ready& ready) {
  ::setsid();
  const UniqueFd nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(nowhere.get(), fd);
  }
  // A full disk is no reason to end; then the last page that was told stands.
  const auto outcome = run(arguments, ready, [&](const ab::Progress& progress) {
    (void)ready.record.keep_progress(json_line(progress_json(arguments, progress)));
  });
  const auto failed = [&] {
    const Error& error = outcome.error();
    return json_line(Json{{"app", arguments.app}, {"error", error.to_string()}});
  };
  (void)ready.record.keep_result(outcome ? json_text(told_json(*outcome)) : failed());
}

/// Before anything is measured; stdout is the result's.
void tell_expected(const Ready& ready) {
  if (ready.expected) {
    std::cerr << ab_forecast_text(Json(ab::to_json(*ready.expected)), owner_texts()) << '\n';
  }
}

/// The forecast alone.
Status forecast_only(const AbArguments& arguments) {
  FRAMEGOV_TRY(const auto profiles, load_profiles(arguments.config));
  FRAMEGOV_TRY(const auto expected,
               expect_of(arguments.forecast, arguments.app, arguments.engine, profiles));
  const nlohmann::ordered_json forecast = ab::to_json(expected);
  std::cout << (arguments.json ? json_text(forecast)
                               : ab_forecast_text(Json(forecast), owner_texts()))
            << '\n';
  return {};
}

Status start_in_background(const AbArguments& arguments, const ServiceLink& link) {
  FRAMEGOV_TRY(auto ready, prepare(arguments, link));
  tell_expected(*ready);
  const AbRecord& record = ready->record;
  const std::size_t windows = 2 * plan_of(arguments).pairs;
  if (Status kept = record.keep_progress(json_line(progress_json(arguments, {0, windows})));
      !kept) {
    return kept;
  }
  const pid_t child = ::fork();
  if (child < 0) {
    return fail_errno(errno, "starting the experiment");
  }
  if (child == 0) {
    run_alone(arguments, *ready);
    ::_exit(0);
  }
  if (Status named = record.name_runner(child); !named) {
    ::kill(child, SIGINT);  // nobody could end it
    return named;
  }
  std::cout << owner_texts().text("cli_abStarted", {{"windows", std::to_string(windows)}}) << '\n';
  return {};
}

Status show_record(const AbArguments& arguments, const AbRecord& record) {
  const Json standing = record.standing();
  if (arguments.json) {
    std::cout << json_line(standing) << '\n';
    return {};
  }
  const Json& running = standing["running"];
  if (running.is_object()) {
    const ab::Progress progress{static_cast<std::size_t>(number_in(running, "window")),
                                static_cast<std::size_t>(number_in(running, "windows"))};
    std::cout << owner_texts().text("cli_abRunning",
                                    {{"app", text_in(running, "app")},
                                     {"window", std::to_string(progress.window + 1)},
                                     {"windows", std::to_string(progress.windows)},
                                     {"time", time_left(progress, number_in(running, "window_s"))}})
              << '\n';
  }
  const Json& result = standing["result"];
  if (result.is_object() && result.contains("error")) {
    std::cout << text_in(result, "error") << '\n';
  } else if (result.is_object()) {
    print_sentences(result);
  }
  if (!running.is_object() && !result.is_object()) {
    std::cout << owner_texts().text("cli_abNothing") << '\n';
  }
  return {};
}

Status look_at_record(const AbArguments& arguments) {
  FRAMEGOV_TRY(const auto profiles, load_profiles(arguments.config));
  FRAMEGOV_TRY(const auto record, AbRecord::open(profiles.settings.service.state_dir));
  return arguments.stop ? record.stop() : show_record(arguments, record);
}

void tell(const AbArguments& arguments, const ab::Outcome& outcome, CommandResult& result) {
  if (arguments.json) {
    std::cout << json_text(told_json(outcome)) << '\n';
  } else {
    print_sentences(Json(ab::to_json(outcome)));
  }
  if (!arguments.html.empty()) {
    if (const Status written = write_output(
            arguments.html,
            ab::to_page(told_json(outcome, owner_texts()), ab_page_words(owner_texts())));
        !written) {
      report(result, written.error());
    }
  }
}

}  // namespace

void register_ab(CLI::App& app, CommandResult& result) {
  auto* command = app.add_subcommand("ab", "Measure on this phone's battery what framegov changes");
  auto arguments = std::make_shared<AbArguments>();
  command->add_option("--app", arguments->app, "Package name of the app")
      ->type_name("PACKAGE")
      ->check(package_name());
  command->add_option("--minutes", arguments->minutes, "Minutes in all")
      ->check(number_between(0.5, 1440.0))
      ->capture_default_str();
  command->add_option("--window", arguments->window, "Seconds of one window, with its settling")
      ->check(number_between(6.0, 3600.0))
      ->capture_default_str();
  command->add_option("--settle", arguments->settle, "Seconds left out after each switch")
      ->check(number_between(0.0, 600.0))
      ->capture_default_str();
  command
      ->add_option("--engine", arguments->engine,
                   "Another frame engine: on without framegov, off with it")
      ->type_name("NAME")
      ->check(one_of(engine_names()));
  command->add_option("--seed", arguments->seed, "Random seed for the window order")
      ->check(whole_number<std::uint64_t>());
  command
      ->add_option("--power-supply", arguments->power_supply,
                   "Folder where the kernel shows batteries")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--config", arguments->config, "The service's YAML file")->type_name("FILE");
  auto* html = command->add_option("--html", arguments->html, "Write a page with the result")
                   ->type_name("FILE");
  arguments->forecast.add_to(*command);
  auto* dry_run =
      command->add_flag("--dry-run", arguments->dry_run, "Only print the forecast; measure nothing")
          ->needs(command->get_option("--forecast"))
          ->needs(command->get_option("--app"));
  command->add_flag("--json", arguments->json, "Print JSON");
  auto* background = command->add_flag("--background", arguments->background,
                                       "Keep measuring after this command exits");
  auto* show =
      command->add_flag("--show", arguments->show, "Show the background run and the last result");
  auto* stop = command->add_flag("--stop", arguments->stop, "End the background run early");
  background->excludes(show)->excludes(stop)->excludes(html);
  show->excludes(stop);
  command->get_option("--forecast")->excludes(show)->excludes(stop);
  dry_run->excludes(background)->excludes(show)->excludes(stop)->excludes(html);
  command->footer(kFooter);
  command->callback([arguments, link = ServiceLink(*command), &result] {
    if (arguments->show || arguments->stop || arguments->background || arguments->dry_run) {
      const Status done = arguments->dry_run      ? forecast_only(*arguments)
                          : arguments->background ? start_in_background(*arguments, link)
                                                  : look_at_record(*arguments);
      if (!done) {
        report(result, done.error());
      }
      return;
    }
    auto ready = prepare(*arguments, link);
    if (ready) {
      tell_expected(**ready);
    }
    const auto tell_window = [&](const ab::Progress& progress) {
      print_progress(progress, arguments->window);
    };
    const auto outcome = ready ? run(*arguments, **ready, tell_window)
                               : Result<ab::Outcome>(tl::unexpected(ready.error()));
    outcome ? tell(*arguments, *outcome, result) : report(result, outcome.error());
  });
}

}  // namespace framegov::cli

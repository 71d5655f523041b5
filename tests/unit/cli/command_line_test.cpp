// SPDX-License-Identifier: Apache-2.0
// What holds for every command: mistakes of the command line, and output that cannot be written.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/mistake_told.h"

namespace framegov::cli {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

/// What `framegov LINE` says on stderr.
std::string mistake_in(const std::string& line) {
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  return test::mistake_told(app, line);
}

TEST(CommandLine, AWordThatNobodyKnowsIsNamed) {
  EXPECT_EQ(mistake_in("staus"),
            "framegov: no command 'staus'; did you mean 'status'?\n"
            "  framegov --help lists what there is\n");
  EXPECT_THAT(mistake_in("frobnicate"), HasSubstr("framegov: no command 'frobnicate'\n"));
  EXPECT_THAT(mistake_in("--nosuch"), HasSubstr("framegov: no option '--nosuch'\n"));
  EXPECT_EQ(mistake_in("sim --devise=sm8250"),
            "framegov: no option '--devise'; did you mean '--device'?\n"
            "  framegov sim --help lists what there is\n");
  EXPECT_THAT(mistake_in("profile shwo com.a"),
              HasSubstr("no command 'shwo'; did you mean 'show'?"));
  EXPECT_THAT(mistake_in("status now please"), HasSubstr("framegov: unexpected 'now'\n"));
}

TEST(CommandLine, WhatOwnersCallACommandLeadsToIt) {
  const std::pair<const char*, const char*> words[] = {
      {"stop", "pause"}, {"disable", "pause"}, {"start", "resume"}, {"why", "explain"}};
  for (const auto& [word, command] : words) {
    EXPECT_THAT(mistake_in(word), HasSubstr(std::string("no command '") + word +
                                            "'; did you mean '" + command + "'?\n"));
  }
}

TEST(CommandLine, WhatIsMissingIsToldWithWhatMayStandThere) {
  EXPECT_THAT(mistake_in("app com.a"),
              HasSubstr("STATE is required: on, off, or auto: as its profile says\n"));
  EXPECT_THAT(mistake_in("profile set com.a"), HasSubstr("SETTING is required: KEY=VALUE\n"));
  EXPECT_THAT(mistake_in("profile"), HasSubstr("A subcommand is required: show, list, "));
  EXPECT_THAT(mistake_in("app com.a of"), HasSubstr("did you mean 'off'?"));
}

TEST(CommandLine, ATimeToPauseNeedsNoOption) {
  ::setenv("FRAMEGOV_SOCKET", "framegov-test-nobody-there", 1);
  EXPECT_THAT(mistake_in("pause 1h"), HasSubstr("framegovd is not running"));
  EXPECT_THAT(mistake_in("pause soon"), HasSubstr("'soon' is not a time from 1s to 30d"));
  EXPECT_THAT(mistake_in("pause --for 1h 2h"), HasSubstr("'2h'"));
  // As a script gives it whose variable is not set: a pause without end is not meant.
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  ::testing::internal::CaptureStderr();
  app.parse(std::vector<std::string>{"", "pause"});  // CLI11 takes them backwards
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("'' is not a time from 1s"));
  ::unsetenv("FRAMEGOV_SOCKET");
}

TEST(CommandLine, EveryMistakeIsToldAsTheProgramTellsOthers) {
  EXPECT_THAT(mistake_in("completion tcsh"), HasSubstr("framegov: "));
  EXPECT_THAT(mistake_in("profile show"), HasSubstr("framegov profile show --help"));
}

/// What `framegov LINE` prints; its errors are printed too.
std::string printed_by(const std::string& line) {
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  ::testing::internal::CaptureStdout();
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    ADD_FAILURE() << error.what();
  }
  return ::testing::internal::GetCapturedStdout();
}

TEST(CommandLine, AloneItSaysWhatItIsAndHowTheServiceIs) {
  ::setenv("FRAMEGOV_SOCKET", "framegov-test-nobody-there", 1);
  const std::string text = printed_by("");
  ::unsetenv("FRAMEGOV_SOCKET");
  EXPECT_TRUE(text.starts_with("framegov gives the CPU just enough speed"));
  for (const char* command : {"doctor", "status", "watch", "pause", "mode", "app", "ab"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n  framegov ") + command));
  }
  EXPECT_THAT(text, HasSubstr("Now: framegovd is not running"));
}

TEST(CommandLine, HelpExplainsACommand) {
  EXPECT_THAT(printed_by("help mode"), HasSubstr("framegov mode fast --app com.example.game"));
  EXPECT_THAT(printed_by("help profile set"), HasSubstr("framegov profile set "));
  EXPECT_THAT(printed_by("help"), HasSubstr("Subcommands:"));
  EXPECT_THAT(mistake_in("help moed"),
              HasSubstr("no command is called 'moed': did you mean 'mode'?"));
  EXPECT_THAT(mistake_in("pause --for soon"), HasSubstr("'soon' is not a time from 1s to 30d"));
}

TEST(CommandLine, SettingsOfAnAppAreSetOneByOne) {
  const test::TemporaryFolder folder;
  const std::string config = folder.path() / "framegov.yaml";
  std::ofstream(config) << "service: {state_dir: " << folder.path().string() << "/state}\n";
  const auto own = folder.path() / "state/profiles/app-com.a.yaml";
  const std::string set = "profile set --config " + config + " com.a ";
  const std::string shown = printed_by(set + "margin=10% target_fps=30,60 ceilings.big=1.8GHz");
  EXPECT_THAT(shown, HasSubstr("ceilings.big       1800MHz"));
  EXPECT_THAT(shown, HasSubstr("target_fps         30, 60"));
  EXPECT_THAT(printed_by(set + "mode=fast margin="), HasSubstr("com.a in mode fast"));
  const std::string kept = folder.read("state/profiles/app-com.a.yaml");
  EXPECT_THAT(kept, HasSubstr("mode: fast"));
  EXPECT_THAT(kept, ::testing::Not(HasSubstr("margin")));
  EXPECT_EQ(std::filesystem::status(own).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"fps=60", "no setting is called 'fps': did you mean 'target_fps'?"},
      {"marign=10%", "no setting is called 'marign': did you mean 'margin'?"},
      {"margin=200%", "'margin=200%': the value must be "},
      {"eps=x", "'eps=x': the value must be "},
      {"enabled=perhaps", "'enabled=perhaps': the value must be "},
      {"target_fps=0", "'target_fps=0': the value must be "},
      {"ceilings=1GHz", "'ceilings' needs a cluster"},
      {"ceilings.bgi=1GHz", "'ceilings.bgi' needs a cluster"},
      {"margin.big=1", "'margin' has no clusters"},
      {"policy=mcp", "'policy=mcp': the value must be "},
      {"margin", "'margin' is not KEY=VALUE"},
      {"kind=gmae", "framegov: com.a: no kind of app is called 'gmae': did you mean 'game'?"},
      {"mode=fats", "framegov: com.a: no mode is called 'fats': did you mean 'fast'?"}};
  for (const auto& [given, told] : mistakes) {
    EXPECT_THAT(mistake_in(set + given), HasSubstr(told)) << given;
  }
  EXPECT_EQ(folder.read("state/profiles/app-com.a.yaml"), kept);
}

TEST(CommandLine, CheckTellsScriptsEachMistakeInItsParts) {
  const test::TemporaryFolder folder;
  const std::string bad = folder.path() / "bad.yaml";
  std::ofstream(bad) << "mpc: {eps: 2}\npolcy: pid\n";
  const auto all = nlohmann::json::parse(printed_by("check --json " + bad + " /nowhere.yaml"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0]["file"], bad);
  EXPECT_EQ(all[0]["ok"], false);
  ASSERT_EQ(all[0]["problems"].size(), 2U);
  EXPECT_EQ(all[0]["problems"][0]["line"], 1);
  EXPECT_EQ(all[0]["problems"][0]["file"], bad);
  EXPECT_THAT(all[0]["problems"][1]["what"].get<std::string>(), HasSubstr("did you mean 'policy'"));
  EXPECT_EQ(all[0]["problems"][1]["line"], 2);
  EXPECT_EQ(all[1]["ok"], false);
  EXPECT_TRUE(all[1]["problems"][0]["line"].is_null());
  EXPECT_THAT(all[1]["problems"][0]["what"].get<std::string>(), HasSubstr("/nowhere.yaml"));
}

TEST(CommandLine, APageThatCannotBeWrittenIsToldOfBeforeTheExperiment) {
  EXPECT_THAT(mistake_in("ab --app com.a --html /nonexistent/ab.html"),
              HasSubstr("framegov: /nonexistent/ab.html cannot be written: No such file"));
  // Alone it leaves a record, no page.
  EXPECT_THAT(mistake_in("ab --app com.a --background --html ab.html"), HasSubstr("excludes"));
}

TEST(CommandLine, NumbersAreFiniteAndInRange) {
  for (const char* line : {"watch --hz nan", "record o --seconds nan", "record o --flight inf",
                           "ab --minutes nan", "ab --window nan", "ab --settle nan",
                           "sim a --sweep-eps 0.01,nan", "sim a --sweep-eps 1"}) {
    EXPECT_THAT(mistake_in(line), HasSubstr("is not a number from ")) << line;
  }
  for (const char* line :
       {"sim a --seed -1", "sim a --jobs -1", "sim a --jobs 99999999999999999999",
        "sim a --explain -1", "sim a --rate-limit-us 1.5", "ab --seed 1e3", "web --port 65536",
        "explain --last 0", "record o --max-mib x"}) {
    EXPECT_THAT(mistake_in(line), HasSubstr("is not a whole number from ")) << line;
  }
  EXPECT_THAT(mistake_in("watch --hz 21"),
              HasSubstr("framegov: --hz: '21' is not a number from 0.1 to 20\n"));
}

TEST(CommandLine, ProfilesAreOfPackages) {
  for (const char* command : {"show com/a", "put com/a {}", "drop com/a"}) {
    EXPECT_THAT(mistake_in(std::string("profile ") + command),
                HasSubstr("'com/a' is not a package name\n"));
  }
  EXPECT_THAT(mistake_in("profile show \"a b;rm\""), HasSubstr("'a b;rm' is not a package name\n"));
}

TEST(CommandLine, DroppingNothingSaysSo) {
  const test::TemporaryFolder folder;
  const std::string config = folder.path() / "framegov.yaml";
  std::ofstream(config) << "service: {state_dir: " << folder.path().string() << "/state}\n";
  const std::string drop = "profile drop com.a --json --config " + config;
  EXPECT_EQ(mistake_in(drop), "com.a had no profile of its own\n");
  std::filesystem::create_directories(folder.path() / "state/profiles");
  const auto own = folder.path() / "state/profiles/app-com.a.yaml";
  std::ofstream(own) << "profiles: {apps: {com.a: {margin: 10%}}}\n";
  EXPECT_EQ(mistake_in(drop), "");
  EXPECT_FALSE(std::filesystem::exists(own));
}

TEST(CommandLine, WordsAreTakenAndToldAsWords) {
  EXPECT_THAT(mistake_in("sim a --deadline 1"),
              HasSubstr("--deadline: 1 not in {strict,buffered,recorded}\n"));
  EXPECT_THAT(mistake_in("sim a --late 0"), HasSubstr("0 not in {queue,drop}"));
  EXPECT_THAT(mistake_in("sim a --power-knowledge true"),
              HasSubstr("not in {exact,table,energy-model,coefficients}"));
  EXPECT_THAT(mistake_in("sim a --placement x"),
              HasSubstr("not in {pinned,eas-5.4,eas-6.1,eas-6.12,walt,device}"));
  EXPECT_THAT(mistake_in("sim a --placement eas6.1"), HasSubstr("did you mean 'eas-6.1'?"));
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  const std::string help = app.get_subcommand("sim")->help();
  EXPECT_THAT(help, HasSubstr("--deadline TEXT:{strict,buffered,recorded}=strict"));
  EXPECT_TRUE(
      std::all_of(help.begin(), help.end(), [](unsigned char c) { return c == '\n' || c >= ' '; }));
}

/// Ends this process as main() does after a command that printed `text`.
[[noreturn]] void print_into(const char* device, const std::string& text, ExitCode code) {
  CommandResult result{code};
  (void)std::freopen(device, "w", stdout);
  std::cout << text;
  finish_output(result);
  std::_Exit(static_cast<int>(result.code));
}

TEST(CommandLineDeathTest, OutputThatCannotBeWrittenIsAFailure) {
  const std::string much(1'000'000, 'x');
  EXPECT_EXIT(print_into("/dev/full", "ok\n", ExitCode::kOk), ExitedWithCode(1),
              "framegov: standard output: No space left on device");
  EXPECT_EXIT(print_into("/dev/full", much, ExitCode::kOk), ExitedWithCode(1),
              "framegov: standard output: not all was taken");
  EXPECT_EXIT(print_into("/dev/full", "ok\n", ExitCode::kUnsupported), ExitedWithCode(5), "^$");
  EXPECT_EXIT(print_into("/dev/null", "ok\n", ExitCode::kOk), ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace framegov::cli

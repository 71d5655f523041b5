// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/config/problem_in.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

using test::problem_in;

TEST(LoadSettings, NothingGivesTheDefaults) {
  for (const char* empty : {"", "# only a comment\n", "---\n", "pid:\n", "{}"}) {
    const auto settings = parse_settings(empty, "f.yaml");
    ASSERT_TRUE(settings.has_value()) << empty << settings.error().message;
    EXPECT_EQ(settings->policy, Settings{}.policy);
    EXPECT_DOUBLE_EQ(settings->policies.pid.margin, PidSettings{}.margin);
  }
}

TEST(LoadSettings, LaysTheFileOverTheDefaults) {
  const auto settings = parse_settings(
      "policy: pid\n"
      "pid: {margin: 0.2, still_after_intervals: 6}\n"
      "service:\n"
      "  state_dir: /tmp/state\n"
      "  log_level: debug\n"
      "  fail_safe_after: 1.5s\n"
      "  gui_libraries: [/a/libgui.so, /b/libgui.so]\n",
      "f.yaml");
  ASSERT_TRUE(settings.has_value()) << settings.error().message;
  EXPECT_DOUBLE_EQ(settings->policies.pid.margin, 0.2);
  EXPECT_EQ(settings->policies.pid.still_after_intervals, 6);
  EXPECT_DOUBLE_EQ(settings->policies.pid.integral_gain, PidSettings{}.integral_gain);
  EXPECT_EQ(settings->service.state_dir, "/tmp/state");
  EXPECT_EQ(settings->service.log_level, LogLevel::kDebug);
  EXPECT_EQ(settings->service.fail_safe_after, std::chrono::milliseconds{1500});
  EXPECT_EQ(settings->service.gui_libraries.size(), 2U);
}

TEST(LoadSettings, NamesFileLineAndReason) {
  EXPECT_EQ(problem_in("pid:\n  margin: lots\n"),
            "f.yaml:2: 'pid.margin' must be a number from 0 to 0.5, not 'lots'");
  EXPECT_THAT(problem_in("pid:\n  margin: 0.9\n"), HasSubstr("f.yaml:2"));
  EXPECT_THAT(problem_in("\n\npid: [1]\n"), HasSubstr("f.yaml:3: 'pid' must be a mapping"));
  EXPECT_THAT(problem_in("policy: fast\n"), HasSubstr("must be one of pid"));
  EXPECT_THAT(problem_in("policy: mcp\n"), HasSubstr("not 'mcp'; did you mean 'mpc'?"));
  EXPECT_THAT(problem_in("service: {state_dir: here}\n"), HasSubstr("absolute path"));
}

TEST(LoadSettings, ABareNumberIsNoTime) {
  EXPECT_THAT(problem_in("service: {fail_safe_after: 500}\n"), HasSubstr("unit"));
  EXPECT_THAT(problem_in("service: {fail_safe_after: 500 ms}\n"), HasSubstr("unit"));
  EXPECT_THAT(problem_in("service: {fail_safe_after: 1h}\n"), HasSubstr("unit"));
  EXPECT_THAT(problem_in("service: {fail_safe_after: 1ms}\n"), HasSubstr("must be from"));
}

TEST(LoadSettings, UnknownKeysGetASuggestion) {
  EXPECT_EQ(problem_in("pid:\n  margn: 0.1\n"),
            "f.yaml:2: unknown key 'pid.margn': did you mean 'pid.margin'?");
  EXPECT_THAT(problem_in("zebra: 1\n"),
              HasSubstr("f.yaml:1: unknown key 'zebra'; there are policy, pid, mpc"));
}

TEST(LoadSettings, DuplicateKeysAreRefused) {
  EXPECT_THAT(problem_in("pid:\n  margin: 0.1\n  margin: 0.2\n"), HasSubstr("f.yaml:3"));
}

TEST(LoadSettings, AllProblemsAreToldAtOnce) {
  const std::string text = problem_in("policy: x\npid:\n  margin: y\nservice: 3\n");
  EXPECT_THAT(text, HasSubstr("f.yaml:1"));
  EXPECT_THAT(text, HasSubstr("f.yaml:3"));
  EXPECT_THAT(text, HasSubstr("f.yaml:4"));
}

TEST(LoadSettings, WhatDoesNotEndADocumentIsAnErrorAtItsPlace) {
  for (const auto& [yaml, where] : std::vector<std::pair<const char*, const char*>>{
           {",", "test.yaml:1: ','"},
           {"{}\n,,,", "test.yaml:2: ','"},
           {"]", "test.yaml:1:"},
           {"policy: mpc\n}", "test.yaml:2:"},
           {"policy: mpc\n---\npolicy: pid", "only one YAML document"}}) {
    const auto settings = parse_settings(yaml, "test.yaml");
    ASSERT_FALSE(settings) << yaml;
    EXPECT_NE(settings.error().to_string().find(where), std::string::npos)
        << settings.error().to_string();
  }
  for (const char* nothing : {"", "\n", "# a comment\n", "---\n"}) {
    EXPECT_TRUE(parse_settings(nothing, "test.yaml")) << nothing;
  }
}

TEST(LoadSettings, BrokenYamlIsOneClearError) {
  EXPECT_THAT(problem_in("pid: {margin: 0.1\n"), HasSubstr("f.yaml:"));
  EXPECT_THAT(problem_in("a: *nothing\n"), HasSubstr("f.yaml:"));
  EXPECT_THAT(problem_in("---\na: 1\n---\nb: 2\n"), HasSubstr("one YAML document"));
  EXPECT_THAT(problem_in(std::string(5000, '[')), HasSubstr("f.yaml:"));
}

TEST(LoadSettings, AnAliasBombCostsNothing) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) {
      bomb += (j == 0 ? "" : ", ") + last;
    }
    bomb += "]\n";
  }
  EXPECT_THAT(problem_in(bomb), HasSubstr("too large with its aliases followed"));
}

TEST(LoadSettings, FilesThatAreMissingOrTooLargeAreNamed) {
  const auto missing = load_settings("/nonexistent/f.yaml");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ExitCode::kBadInput);
  EXPECT_THAT(missing.error().message, HasSubstr("/nonexistent/f.yaml"));

  const std::string large = ::testing::TempDir() + "large.yaml";
  std::ofstream(large) << std::string(2U << 20U, '#');
  const auto refused = load_settings(large);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("larger than"));
}

TEST(Settings, ReadForegroundRecordAndJankHook) {
  const auto settings = parse_settings(
      "service: {foreground: all, top_app_groups: [/dev/x], record: {file: /data/t, max_mib: 2}}\n"
      "jank_hook: {threshold: 4000us, command: [/data/hook, 'a b'], at_most_every: 1s}\n",
      "test.yaml");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(settings->service.foreground, ForegroundChoice::kAll);
  EXPECT_EQ(settings->service.record.file, "/data/t");
  EXPECT_EQ(settings->service.record.max_bytes, 2U << 20U);
  EXPECT_EQ(settings->jank_hook.command, (std::vector<std::string>{"/data/hook", "a b"}));
  EXPECT_EQ(settings->jank_hook.threshold, std::chrono::microseconds{4000});
  EXPECT_TRUE(Settings{}.jank_hook.command.empty());
}

TEST(Settings, AHooksProgramMustBeAnAbsolutePath) {
  for (const char* yaml : {"jank_hook: {command: [hook]}", "jank_hook: {command: hook}",
                           "jank_hook: {command: []}", "jank_hook: {command: [[/x]]}"}) {
    const auto settings = parse_settings(yaml, "test.yaml");
    ASSERT_FALSE(settings) << yaml;
    EXPECT_NE(settings.error().message.find("test.yaml:1: 'jank_hook.command'"), std::string::npos)
        << settings.error().message;
  }
}

}  // namespace
}  // namespace framegov

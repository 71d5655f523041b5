// SPDX-License-Identifier: Apache-2.0
// A profile that goes from one phone to another.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/command.h"
#include "cli/own_profile.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A phone: its configuration and its profiles folder.
class SharedProfile : public ::testing::Test {
 protected:
  struct Said {
    std::string out;
    std::string err;
    ExitCode code = ExitCode::kOk;
  };

  SharedProfile() {
    std::filesystem::create_directories(folder_.path() / "state/profiles");
    write("framegov.yaml", "service: {state_dir: " + folder_.path().string() + "/state}\n");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder_.path() / name);
  }

  [[nodiscard]] Said run(const std::string& line) const {
    CLI::App app{"framegov", "framegov"};
    CommandResult result;
    register_all(app, result);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    app.parse("profile " + line + " --config " + path("framegov.yaml"));
    Said said;
    said.out = ::testing::internal::GetCapturedStdout();
    said.err = ::testing::internal::GetCapturedStderr();
    said.code = result.code;
    return said;
  }

  test::TemporaryFolder folder_;
  static constexpr const char* kOwn = "state/profiles/app-com.example.game.yaml";
};

TEST_F(SharedProfile, IsWhatDiffersFromTheShippedOnes) {
  write(
      "state/profiles/mine.yaml",
      "profiles:\n"
      "  kinds: {toy: {eps: 0.004}}\n"
      "  apps:\n"
      "    com.example.game: {kind: toy, mode: fast, margin: 8%, target_fps: [30, 45.5],\n"
      "                       ceilings: {big: 1.8GHz, all: none}, modes: {fast: {margin: 20%}}}\n");
  const Said said = run("share com.example.game");
  EXPECT_EQ(said.code, ExitCode::kOk) << said.err;
  EXPECT_THAT(said.out, HasSubstr("# framegov "));
  EXPECT_THAT(said.out, HasSubstr("profiles:\n  apps:\n    com.example.game:\n"));
  for (const char* line : {"mode: fast", "eps: 0.004", "margin: 8%", "target_fps: [30, 45.5]",
                           "ceilings:\n        all: none\n        big: 1800MHz"}) {
    EXPECT_THAT(said.out, HasSubstr("      " + std::string(line) + "\n"));
  }
  // Somebody else has no such kind, and a mode's value is for that mode.
  EXPECT_THAT(said.out, Not(HasSubstr("toy")));
  EXPECT_THAT(said.out, Not(HasSubstr("20%")));
}

TEST_F(SharedProfile, IsNothingWhereNothingDiffers) {
  const Said said = run("share com.tencent.ig");
  EXPECT_EQ(said.code, ExitCode::kUsage);
  EXPECT_EQ(said.out, "");
  EXPECT_THAT(said.err, HasSubstr("com.tencent.ig has no settings beyond the shipped ones"));
  EXPECT_THAT(run("share 'com.*'").err, HasSubstr("'com.*' is not one app"));
}

TEST_F(SharedProfile, IsInstalledAsThePhoneThatSharedItHadIt) {
  write("state/profiles/mine.yaml",
        "profiles: {apps: {com.example.game: {kind: game, margin: 8%, target_fps: [30, 60],\n"
        "                                     floors: {little: 50%}, enabled: false}}}\n");
  const Said shared = run("share com.example.game");
  std::filesystem::remove(folder_.path() / "state/profiles/mine.yaml");
  write("given.yaml", shared.out);

  const Said preview = run("add " + path("given.yaml") + " --preview");
  EXPECT_THAT(preview.out, HasSubstr("com.example.game would change:\n"));
  for (const char* line : {"enabled true -> false", "floors.little none -> 50%", "margin 0% -> 8%",
                           "kind none -> game", "target_fps auto -> 30, 60"}) {
    EXPECT_THAT(preview.out, HasSubstr("  " + std::string(line) + "\n"));
  }
  EXPECT_FALSE(is_there(kOwn));

  const Said added = run("add " + path("given.yaml"));
  EXPECT_EQ(added.code, ExitCode::kOk) << added.err;
  EXPECT_THAT(added.err, HasSubstr("to undo it: framegov profile drop com.example.game\n"));
  EXPECT_EQ(std::filesystem::status(folder_.path() / kOwn).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_THAT(run("show com.example.game").out, HasSubstr("target_fps         30, 60"));
  EXPECT_EQ(run("share com.example.game").out, shared.out);
  EXPECT_THAT(run("add " + path("given.yaml")).out, HasSubstr("nothing changes"));
}

TEST_F(SharedProfile, TakesThePlaceOfTheOwnOneAndSaysHowToUndoIt) {
  write(kOwn, "profiles: {apps: {com.example.game: {margin: 5%, target_fps: [30, 60]}}}\n");
  write("given.yaml", "profiles: {apps: {com.example.game: {eps: 0.01}}}\n");
  const Said added = run("add " + path("given.yaml"));
  EXPECT_THAT(added.out, HasSubstr("margin 5% -> 0%"));
  const std::string put = "put com.example.game '";
  const std::size_t begin = added.err.find(put);
  ASSERT_NE(begin, std::string::npos) << added.err;
  const std::size_t end = added.err.rfind('\'');
  const std::string values = added.err.substr(begin + put.size(), end - begin - put.size());
  EXPECT_EQ(values, R"({"margin":"5%","target_fps":["30","60"]})");
  // What the line says brings it back.
  (void)run("drop com.example.game");
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  ::testing::internal::CaptureStdout();
  std::vector<std::string> words = {path("framegov.yaml"), "--config", values,
                                    "com.example.game",    "put",      "profile"};
  app.parse(std::move(words));
  EXPECT_THAT(::testing::internal::GetCapturedStdout(), HasSubstr("margin             5%"));
}

TEST_F(SharedProfile, WithAMistakeChangesNothing) {
  write(kOwn, "profiles: {apps: {com.example.game: {margin: 5%}}}\n");
  const std::string before = folder_.read(kOwn);
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"", "has profiles: apps: PACKAGE: and nothing besides"},
      {"policy: pid\nprofiles: {apps: {com.a: {margin: 1%}}}", "and nothing besides"},
      {"profiles: {modes: {fast: {eps: 0.1}}, apps: {com.a: {margin: 1%}}}", "nothing besides"},
      {"profiles: {apps: {com.a: {margin: 1%}, com.b: {margin: 1%}}}", "is of one app"},
      {"profiles: {apps: {}}", "is of one app"},
      {"profiles: {apps: {com.a: {}}}", "it says nothing of com.a"},
      {"profiles: {apps: {com.a: powersave}}", "it says nothing of com.a"},
      {"profiles: {apps: {'../x': {margin: 1%}}}", "'../x' is not a package name"},
      {"profiles: {apps: {'*': {enabled: false}}}", "'*' is not a package name"},
      {"profiles: {apps: {com.example.game: {margin: 100%}}}", "given.yaml:1: 'profiles.apps."},
      {"profiles: {apps: {com.example.game: {margni: 1%}}}", "did you mean"},
      {"profiles: {apps: {com.example.game: {kind: nothing}}}", "no kind"},
      {"profiles: {apps: {com.example.game: {margin: 1%}", "given.yaml: "}};
  for (const auto& [text, told] : mistakes) {
    write("given.yaml", text);
    const Said said = run("add " + path("given.yaml"));
    EXPECT_EQ(said.code, ExitCode::kBadInput) << text;
    EXPECT_THAT(said.err, HasSubstr(told)) << text;
    EXPECT_EQ(said.out, "") << text;
  }
  EXPECT_EQ(folder_.read(kOwn), before);
  EXPECT_EQ(run("add " + path("nowhere.yaml")).code, ExitCode::kBadInput);
}

}  // namespace
}  // namespace framegov::cli

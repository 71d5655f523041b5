// SPDX-License-Identifier: Apache-2.0
// Completion scripts and manual pages, made from the program's own parser.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/command.h"
#include "cli/command_tree.h"
#include "cli/completion.h"
#include "cli/man_page.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SelfDescriptionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    register_all(app_, result_);
    root_ = facts_of(app_);
  }
  /// What a shell command prints.
  static std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
    std::array<char, 4096> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
      text += part.data();
    }
    EXPECT_EQ(::pclose(pipe), 0) << command << "\n" << text;
    return text;
  }
  static bool has(const std::string& program) {
    return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
  }
  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }

  test::TemporaryFolder folder_;
  CLI::App app_{"", "framegov"};
  CommandResult result_;
  CommandFacts root_;
};

TEST_F(SelfDescriptionTest, TheTreeHoldsEveryCommandAndOption) {
  EXPECT_GT(root_.commands.size(), 10U);
  for (const CommandFacts& command : root_.commands) {
    EXPECT_FALSE(command.description.empty()) << command.name;
    EXPECT_THAT(command.footer, HasSubstr("xample")) << command.name;
    if (command.name == "app") {
      ASSERT_EQ(command.options.size(), 5U);
      EXPECT_TRUE(command.options[1].argument);
      EXPECT_THAT(command.options[2].choices, ElementsAre("on", "off", "auto"));
      EXPECT_THAT(command.options[4].names, ElementsAre("--socket"));
      EXPECT_EQ(command.options[4].value, "NAME");
    }
  }
}

TEST_F(SelfDescriptionTest, BashCompletesCommandsOptionsAndChoices) {
  const std::string script = file("bash", bash_completion(root_));
  const auto complete = [&](const std::string& words) {
    std::string line = ". " + script + "; COMP_WORDS=(" + words +
                       "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _framegov; echo ${COMPREPLY[@]}";
    return output_of("bash -c '" + line + "'");
  };
  EXPECT_EQ(complete("framegov st"), "status\n");
  EXPECT_THAT(complete("framegov status --"), HasSubstr("--json"));
  EXPECT_EQ(complete("framegov completion z"), "zsh\n");
  EXPECT_EQ(complete("framegov app com.a o"), "on off\n");
  EXPECT_THAT(complete("framegov \"\""), HasSubstr("watch"));
}

TEST_F(SelfDescriptionTest, BashCompletesTheNamesThatComeWithTheProgram) {
  ::testing::internal::CaptureStdout();
  app_.parse("completion bash");
  const std::string script = file("bash", ::testing::internal::GetCapturedStdout());
  const auto complete = [&](const std::string& words) {
    return output_of("bash -c '. " + script + "; COMP_WORDS=(framegov " + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _framegov; echo ${COMPREPLY[@]}'");
  };
  EXPECT_EQ(complete("device show tensor"), "tensor_g1 tensor_g4\n");
  EXPECT_EQ(complete("sim --device a"), "all\n");
  EXPECT_EQ(complete("sim --policy mp"), "mpc\n");
  EXPECT_EQ(complete("mode pow"), "powersave\n");
  EXPECT_EQ(complete("sim --policy pid,mp"), "pid,mpc\n");
  EXPECT_EQ(complete("sim --device tensor_g1,tensor_g4,sm8250,al"),
            "tensor_g1,tensor_g4,sm8250,all\n");
  EXPECT_EQ(complete("help pau"), "pause\n");
  EXPECT_EQ(complete("profile set com.a marg"), "margin=\n");
}

TEST_F(SelfDescriptionTest, QuotesAreKept) {
  EXPECT_THAT(zsh_completion(root_), HasSubstr(R"('log:Show the service'\''s last log lines')"));
  EXPECT_THAT(fish_completion(root_), HasSubstr(R"(-d 'Show the service\'s last log lines')"));
  CommandFacts odd{
      "framegov", "", "", {{{"--odd"}, "a \\ b", "", {"it's"}}}, {root_.commands.front()}};
  EXPECT_THAT(fish_completion(odd), HasSubstr(R"(-d 'a \\ b')"));
  const std::string script = file("odd", bash_completion(odd));
  EXPECT_THAT(output_of("bash -n " + script), ::testing::IsEmpty());
}

TEST_F(SelfDescriptionTest, ZshAndFishTakeTheirScripts) {
  const std::string zsh = zsh_completion(root_);
  EXPECT_THAT(zsh, HasSubstr("'status:"));
  EXPECT_THAT(zsh, HasSubstr("--json["));
  const std::string fish = fish_completion(root_);
  EXPECT_THAT(fish, HasSubstr("-a status"));
  EXPECT_THAT(fish, HasSubstr("-l json"));
  if (has("zsh")) {
    output_of("zsh -n " + file("zsh", zsh));
  }
  if (has("fish")) {
    output_of("fish -n " + file("fish", fish));
  }
  if (!has("zsh") || !has("fish")) {
    std::puts("zsh or fish is not here: their scripts were not read by them");
  }
}

TEST_F(SelfDescriptionTest, TheManualPageHasEveryCommand) {
  const std::string page = man_page(root_, 1, "1.2.3");
  EXPECT_TRUE(page.starts_with(".TH FRAMEGOV 1 \"\" \"framegov 1.2.3\"\n"));
  EXPECT_THAT(page, HasSubstr("framegov \\- frame\\-aware CPU frequency governor"));
  for (const CommandFacts& command : root_.commands) {
    EXPECT_THAT(page, HasSubstr(".SS \\fBframegov " + command.name));
  }
  EXPECT_THAT(page, HasSubstr(".SS \\fBframegov check\\fR \\fIFILE\\fR... ["));
  EXPECT_THAT(page, HasSubstr(".SS \\fBframegov device\\fR \\fIcommand\\fR ["));
  EXPECT_THAT(page, HasSubstr("device import\\fR \\fB\\-\\-name\\fR \\fITEXT\\fR "));
  EXPECT_THAT(page, HasSubstr("\nName of the device (required)\n"));
  EXPECT_THAT(page, HasSubstr("\nViews a second (0.1..20; default: 4)\n"));
  EXPECT_THAT(page, HasSubstr("(one of: strict buffered recorded; default: strict)\n"));
  EXPECT_THAT(man_page(root_, 1, "1", {{"NO_COLOR", "None."}}),
              HasSubstr(".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nNone.\n.SH NOTES\n.nf\n"));
  if (!has("mandoc")) {
    GTEST_SKIP() << "mandoc is not here to read the page";
  }
  const std::string path = file("framegov.1", page);
  EXPECT_THAT(output_of("mandoc -T lint -W warning " + path + " | grep -v 'missing date'; true"),
              ::testing::IsEmpty());
  EXPECT_THAT(output_of("mandoc -T ascii " + path + " | sed 's/.\\x08//g'"),
              HasSubstr("framegov status [options]"));
}

}  // namespace
}  // namespace framegov::cli

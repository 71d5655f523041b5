// SPDX-License-Identifier: Apache-2.0
// What holds for every command: mistakes of the command line, and output that cannot be written.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <string>

#include "cli/command.h"

namespace framegov::cli {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

/// What `framegov LINE` says of a mistake; empty where there is none.
std::string mistake_in(const std::string& line) {
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  ::testing::internal::CaptureStderr();
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    EXPECT_NE(app.exit(error), 0);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(CommandLine, AWordThatNobodyKnowsIsNamed) {
  EXPECT_EQ(mistake_in("staus"),
            "framegov: no command 'staus'; did you mean 'status'?\n"
            "  framegov --help tells what there is\n");
  EXPECT_THAT(mistake_in("frobnicate"), HasSubstr("framegov: no command 'frobnicate'\n"));
  EXPECT_THAT(mistake_in("--nosuch"), HasSubstr("framegov: no option '--nosuch'\n"));
  EXPECT_EQ(mistake_in("sim --devise=sm8250"),
            "framegov: no option '--devise'; did you mean '--device'?\n"
            "  framegov sim --help tells what there is\n");
  EXPECT_THAT(mistake_in("profile shwo com.a"),
              HasSubstr("no command 'shwo'; did you mean 'show'?"));
  EXPECT_THAT(mistake_in("status now please"), HasSubstr("framegov: unexpected 'now'\n"));
}

TEST(CommandLine, EveryMistakeIsToldAsTheProgramTellsOthers) {
  EXPECT_THAT(mistake_in(""), HasSubstr("framegov: A subcommand is required\n"));
  EXPECT_THAT(mistake_in("completion tcsh"), HasSubstr("framegov: "));
  EXPECT_THAT(mistake_in("profile show"), HasSubstr("framegov profile show --help"));
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

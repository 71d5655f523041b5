// SPDX-License-Identifier: Apache-2.0
#include "governor/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "governor/log/one_line.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

class LogFile : public ::testing::Test {
 protected:
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "log";
};

TEST_F(LogFile, AnAppsNameForgesNoLine) {
  auto log = Log::open(LogLevel::kInfo, path_);
  ASSERT_TRUE(log);
  (*log)->info("test",
               "com.a\n2026-01-01 00:00:00.000 error the limits are gone\r\x1b[2J is on top");
  const std::string written = text();
  EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 1);
  EXPECT_THAT(written, ::testing::HasSubstr("com.a\\x0a2026-01-01"));
  EXPECT_THAT(written, ::testing::HasSubstr("gone\\x0d\\x1b[2J is on top"));
  // What the control socket gives out is the same.
  EXPECT_THAT(std::string((*log)->lines().last(1).front().value.text.view()),
              ::testing::StartsWith("com.a\\x0a2026"));
}

TEST_F(LogFile, DebugLinesAreThereWhenTheProcessIsKilled) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto log = Log::open(LogLevel::kDebug, path_);
    (*log)->debug("the last thing that happened");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(text(), ::testing::HasSubstr("the last thing that happened"));
}

TEST(OneLine, KeepsWhatCanBeReadAndNothingElse) {
  EXPECT_EQ(one_line(""), "");
  EXPECT_EQ(one_line("com.example: 16 ms \\x0a ~"), "com.example: 16 ms \\x0a ~");
  EXPECT_EQ(one_line("Spiel \xC3\xBC\xE4\xB8\xAD\xF0\x9F\x98\x80"),
            "Spiel \xC3\xBC\xE4\xB8\xAD\xF0\x9F\x98\x80");
  EXPECT_EQ(one_line(std::string_view("a\0b\tc\x7f", 6)), "a\\x00b\\x09c\\x7f");
  EXPECT_EQ(one_line("\xC2\x85\xC2\x9B"), "\\xc2\\x85\\xc2\\x9b");                    // NEL, CSI
  EXPECT_EQ(one_line("\xE2\x80\xA8\xE2\x80\xAE"), "\\xe2\\x80\\xa8\\xe2\\x80\\xae");  // LS, RLO
  EXPECT_EQ(one_line("\x9B\xFF\xC0\x8A"), "\\x9b\\xff\\xc0\\x8a");  // no UTF-8, also too long
  EXPECT_EQ(one_line("\xE2\x80"), "\\xe2\\x80");
  EXPECT_EQ(one_line("\xED\xA0\x80"), "\\xed\\xa0\\x80");
}

TEST(OneLine, NoTextHasALineBreakInIt) {
  std::string all;
  for (int i = 0; i < 65536; ++i) {
    all += {static_cast<char>(i >> 8), static_cast<char>(i & 0xFF)};
  }
  const std::string shown = one_line(all);
  EXPECT_TRUE(std::none_of(shown.begin(), shown.end(),
                           [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; }));
}

}  // namespace
}  // namespace framegov

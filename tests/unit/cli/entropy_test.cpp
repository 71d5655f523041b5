// SPDX-License-Identifier: Apache-2.0
// Before a phone has gathered entropy, whoever asks for it waits, half a minute and longer.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <random>
#include <string>

#include "cli/command.h"

namespace {
int draws = 0;
}  // namespace

// In this program these stand in for the C++ library's own.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
void std::random_device::_M_init(const std::string& /*token*/) { ++draws; }
void std::random_device::_M_fini() {}
std::random_device::result_type std::random_device::_M_getval() { return 4; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace framegov::cli {
namespace {

TEST(Entropy, IsNotDrawnByCommandsThatNeedNone) {
  draws = 0;
  CLI::App app{"framegov", "framegov"};
  CommandResult result;
  register_all(app, result);
  EXPECT_EQ(draws, 0);
}

TEST(Entropy, IsCountedHere) {
  draws = 0;
  EXPECT_EQ(std::random_device{}(), 4U);
  EXPECT_EQ(draws, 1);
}

}  // namespace
}  // namespace framegov::cli

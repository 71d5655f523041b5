// SPDX-License-Identifier: Apache-2.0
#include "base/unknown_name.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

const Names kPolicies = {"pid", "mpc", "schedutil"};

TEST(UnknownName, NamesTheNearestOne) {
  EXPECT_EQ(unknown_name("policy", "schedutl", kPolicies),
            "no policy is called 'schedutl': did you mean 'schedutil'?");
}

TEST(UnknownName, WhatBeginsANameOrAPartOfItIsNearerThanAnyOther) {
  EXPECT_EQ(nearest("fps", {"eps", "target_fps"}), "target_fps");
  EXPECT_EQ(nearest("of", {"on", "off", "auto"}), "off");
  EXPECT_EQ(nearest("ps", {"eps"}), "eps");  // not a part of it, but near
  EXPECT_EQ(nearest("s", {"status"}), std::nullopt);
}

TEST(UnknownName, NamesNoneThatIsFar) {
  EXPECT_EQ(unknown_name("policy", "performance", kPolicies), "no policy is called 'performance'");
  EXPECT_EQ(unknown_name("policy", std::string(1000, 's'), kPolicies).find("did you"),
            std::string::npos);
}

TEST(UnknownName, TheErrorListsAllAndTheNextStep) {
  const Error error =
      fail_unknown(ExitCode::kUsage, "policy", "mcp", kPolicies, "see --help").value();
  EXPECT_EQ(error.code, ExitCode::kUsage);
  EXPECT_EQ(error.message, "no policy is called 'mcp': did you mean 'mpc'?");
  EXPECT_EQ(error.hint, "there are pid, mpc, schedutil; see --help");
}

TEST(UnknownName, IsOneLineWhateverWasTyped) {
  EXPECT_EQ(unknown_name("policy", "a\nb\x1b", {}), "no policy is called 'a?b?'");
}

TEST(UnknownName, ASectionStandsBeforeTheGuess) {
  EXPECT_EQ(did_you_mean("margn", {"margin"}, ": ", "pid."), ": did you mean 'pid.margin'?");
}

}  // namespace
}  // namespace framegov

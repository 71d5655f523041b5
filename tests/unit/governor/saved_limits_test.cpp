// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/saved_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace framegov {
namespace {

using ::testing::HasSubstr;

SavedLimits example() {
  SavedLimits limits;
  limits.boot_id = "b6a8f1c2-0000-4000-8000-000000000001";
  limits.clusters.push_back({0, khz(300000), khz(1800000)});
  limits.clusters.push_back({6, khz(500000), khz(2800000)});
  return limits;
}

TEST(SavedLimits, ReadsWhatItWrote) {
  const auto parsed = parse_saved_limits(to_text(example()));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->boot_id, example().boot_id);
  EXPECT_EQ(parsed->clusters, example().clusters);
  EXPECT_FALSE(parsed->unmasking);
  SavedLimits unmasking = example();
  unmasking.unmasking = true;
  EXPECT_TRUE(parse_saved_limits(to_text(unmasking)).value().unmasking);
}

TEST(SavedLimits, EveryTruncationIsSeen) {
  const std::string whole = to_text(example());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_saved_limits(whole.substr(0, size))) << size << " bytes";
  }
}

TEST(SavedLimits, NamesTheBadLine) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"framegov saved limits 2\nboot x\nend\n", "saved_limits:1:"},
      {"framegov saved limits 1\nend\n", "saved_limits:2: the boot id"},
      {"framegov saved limits 1\nboot x\npolicy 0 min 5 max 4\nend\n", "saved_limits:3:"},
      {"framegov saved limits 1\nboot x\npolicy 0 min 0 max 4\nend\n", "saved_limits:3:"},
      {"framegov saved limits 1\nboot x\npolicy 0 min 1 max 4 \nend\n", "saved_limits:3:"},
      {"framegov saved limits 1\nboot x\npolicy -1 min 1 max 4\nend\n", "saved_limits:3:"},
      {"framegov saved limits 1\nboot x\npolicy 0 min 1 max 99999999999999999999\nend\n",
       "saved_limits:3:"},
      {"framegov saved limits 1\nboot x\npolicy 0 min 1 max 4\npolicy 0 min 1 max 4\nend\n",
       "saved_limits:4: this policy stands there already"},
      {"framegov saved limits 1\nboot x\nend\nmore", "something follows"},
  };
  for (const auto& each : cases) {
    const auto parsed = parse_saved_limits(each.text);
    ASSERT_FALSE(parsed) << each.text;
    EXPECT_THAT(parsed.error().message, HasSubstr(each.message));
    EXPECT_EQ(parsed.error().code, ExitCode::kBadInput);
  }
}

}  // namespace
}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "config/profile_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "config/effective_profile.h"
#include "config/load.h"
#include "policy/bounded_policy.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

TEST(ProfileFields, StandInTheDocumentationAsInTheTable) {
  std::ifstream file(std::string(FRAMEGOV_SOURCE_DIR) + "/docs/profiles.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for_each_profile_field([&page](const ProfileField& field) {
    const std::string row = "| `" + std::string(field.name) + "` | " + std::string(field.what) +
                            " | " + std::string(field.unless_set) + " |";
    EXPECT_THAT(page, HasSubstr("\n" + row + "\n"));
  });
}

/// A policy of a program's own, with a struct of its own.
struct ThirdSettings {
  double margin = 0.25;
  int patience = 3;
  Duration rest = std::chrono::milliseconds{2};
};

PolicyParameter::Place margin_of(PolicySettings& all) { return &all.of<ThirdSettings>().margin; }
PolicyParameter::Place patience_of(PolicySettings& all) {
  return &all.of<ThirdSettings>().patience;
}
PolicyParameter::Place rest_of(PolicySettings& all) { return &all.of<ThirdSettings>().rest; }

class ThirdPolicy : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    add_policy(
        {.name = "third",
         .parameters = {{"margin", 0, 0.5, margin_of},
                        {"patience", 1, 9, patience_of},
                        {"rest", 0, 10, rest_of}},
         .make = [](const CpuTopology& topology, const PolicySettings&) -> std::unique_ptr<Policy> {
           return std::make_unique<UncappedPolicy>(topology.clusters.size());
         }});
  }

  static Settings settings_of(const std::string& yaml) {
    auto settings = parse_settings(yaml, "f.yaml");
    EXPECT_TRUE(settings) << settings.error().message;
    return settings.value_or(Settings{});
  }
  static ThirdSettings third(const Settings& settings, const char* app) {
    return policy_settings(effective_profile(settings, "balance", app), settings)
        .of<ThirdSettings>();
  }
};

TEST_F(ThirdPolicy, HasItsOwnParametersInTheConfiguration) {
  const Settings settings = settings_of("policy: third\nthird: {patience: 5, rest: 500us}\n");
  EXPECT_EQ(third(settings, "com.a").patience, 5);
  EXPECT_EQ(third(settings, "com.a").rest, std::chrono::microseconds{500});
  EXPECT_DOUBLE_EQ(third(settings, "com.a").margin, 0.25);
  const auto wrong = parse_settings("third: {patience: 10}\n", "f.yaml");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("must be a whole number from 1 to 9, not '10'"));
}

TEST_F(ThirdPolicy, HasItsOwnMarginInProfiles) {
  const Settings settings = settings_of(
      "mpc: {margin: 0.4}\n"
      "third: {margin: 0.3}\n"
      "profiles: {defaults: {policy: third}, apps: {b: {margin: 8%}, c: {policy: mpc}}}\n");
  const EffectiveProfile a = effective_profile(settings, "balance", "a");
  EXPECT_DOUBLE_EQ(a.margin.value, 0.3);
  EXPECT_EQ(a.margin.origin, "f.yaml:2");
  EXPECT_DOUBLE_EQ(third(settings, "a").margin, 0.3);
  EXPECT_DOUBLE_EQ(third(settings, "b").margin, 0.08);
  const EffectiveProfile b = effective_profile(settings, "balance", "b");
  EXPECT_DOUBLE_EQ(policy_settings(b, settings).mpc.margin, 0.4);
  EXPECT_DOUBLE_EQ(effective_profile(settings, "balance", "c").margin.value, 0.4);
}

TEST_F(ThirdPolicy, IsMadeByItsName) {
  EXPECT_TRUE(make_policy("third", test::phone_topology(), {}));
  const auto wrong = make_policy("thrid", test::phone_topology(), {});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("did you mean 'third'?"));
}

}  // namespace
}  // namespace framegov

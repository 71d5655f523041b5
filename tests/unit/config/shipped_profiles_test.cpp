// SPDX-License-Identifier: Apache-2.0
// The profiles that come with the program. That none stands twice, and that its kind is there, the
// reader of every configuration holds them to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "config/effective_profile.h"
#include "config/load.h"

namespace framegov {
namespace {

Settings shipped() {
  auto settings = parse_settings("", "f.yaml");
  EXPECT_TRUE(settings) << settings.error().message;
  return settings.value_or(Settings{});
}

EffectiveProfile shipped_profile(const char* app) {
  return effective_profile(shipped(), "balance", app);
}

TEST(ShippedProfiles, AreOfPackages) {
  const std::regex package(R"([A-Za-z]\w*(\.[A-Za-z*]\w*)*(\.\*|\*)?)");
  const Settings settings = shipped();
  for (const auto& [name, entry] : settings.profiles.apps) {
    EXPECT_TRUE(std::regex_match(name, package)) << name;
    EXPECT_NE(name.find('.'), std::string::npos) << name << " would fit too much";
    EXPECT_TRUE(entry.base) << name << " has no kind";
  }
}

TEST(ShippedProfiles, EveryKindHasAppsAndEveryGameOfTheFortyIsOne) {
  const Settings settings = shipped();
  for (const auto& [kind, profile] : settings.profiles.kinds) {
    EXPECT_TRUE(
        std::any_of(settings.profiles.apps.begin(), settings.profiles.apps.end(),
                    [&name = kind](const auto& app) { return app.second.base->value == name; }))
        << kind;
  }
  const auto games =
      std::count_if(settings.profiles.apps.begin(), settings.profiles.apps.end(),
                    [](const auto& app) { return app.second.base->value == "game"; });
  EXPECT_GE(games, 40);
}

TEST(ShippedProfiles, EveryRateHasASource) {
  std::ifstream file(std::string(FRAMEGOV_SOURCE_DIR) + "/docs/profile-sources.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const Settings settings = shipped();
  for (const auto& [name, entry] : settings.profiles.apps) {
    if (!entry.values.target_fps) {
      EXPECT_EQ(page.find("| `" + name + "` |"), std::string::npos) << name << " has no rates";
      continue;
    }
    std::string rates;
    for (const double rate : entry.values.target_fps->value) {
      rates += (rates.empty() ? "" : ", ") + std::to_string(static_cast<int>(rate));
    }
    const std::regex row("\\| `" + name + "` \\| [^|]+ \\| " + rates + " \\| [A-N][^|]* \\|");
    EXPECT_TRUE(std::regex_search(page, row)) << name << " with " << rates;
  }
}

TEST(ShippedProfiles, AKindIsWhatItsCommentSays) {
  EXPECT_FALSE(shipped_profile("com.sec.android.app.camera").enabled.value);
  EXPECT_DOUBLE_EQ(shipped_profile("com.miui.home").background_floor.value, 1);
  EXPECT_DOUBLE_EQ(shipped_profile("com.instagram.android").background_floor.value, 0.6);
  EXPECT_DOUBLE_EQ(shipped_profile("com.samsung.android.honeyboard").margin.value, 0.1);
  EXPECT_THAT(shipped_profile("com.tencent.ig").target_fps.value,
              ::testing::ElementsAre(60, 90, 120));
  EXPECT_THAT(shipped_profile("com.tencent.tmgp.other").target_fps.value, ::testing::IsEmpty());
}

}  // namespace
}  // namespace framegov

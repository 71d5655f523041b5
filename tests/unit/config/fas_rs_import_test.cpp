// SPDX-License-Identifier: Apache-2.0
#include "config/fas_rs_import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/effective_profile.h"
#include "config/load.h"

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string problem_in_games(const std::string& toml) {
  const auto profiles = profiles_from_fas_rs(toml, "games.toml");
  return profiles ? "accepted" : profiles.error().message;
}

TEST(FasRsImport, GamesAndMarginsBecomeProfiles) {
  const auto profiles = profiles_from_fas_rs(
      "[config]\n"
      "keep_std = true\n"
      "scene_game_list = true\n"
      "[game_list]\n"
      "\"com.b\" = [60, 30]\n"
      "\"com.a\" = \"auto\"\n"
      "\"com.c\" = 45\n"
      "null = 60\n"
      "[powersave]\n"
      "margin_fps = 3\n"
      "core_temp_thresh = 80000\n"
      "[fast]\n"
      "margin_fps = 0.0\n",
      "games.toml");
  ASSERT_TRUE(profiles) << profiles.error().message;
  const auto settings = parse_settings(*profiles, "result");
  ASSERT_TRUE(settings) << settings.error().message << *profiles;
  const EffectiveProfile b = effective_profile(*settings, "powersave", "com.b");
  EXPECT_EQ(b.kind.value, "game");
  EXPECT_THAT(b.target_fps.value, ElementsAre(30, 60));
  EXPECT_DOUBLE_EQ(b.eps.value, 0.05);
  EXPECT_DOUBLE_EQ(effective_profile(*settings, "fast", "com.b").eps.value, 0.0001);
  EXPECT_THAT(effective_profile(*settings, "fast", "com.a").target_fps.value, IsEmpty());
  EXPECT_THAT(effective_profile(*settings, "fast", "com.c").target_fps.value, ElementsAre(45));
}

TEST(FasRsImport, AnEmptyListIsFine) {
  const auto profiles = profiles_from_fas_rs("[game_list]\n", "games.toml");
  ASSERT_TRUE(profiles);
  EXPECT_TRUE(parse_settings(*profiles, "result")) << *profiles;
}

TEST(FasRsImport, LettersOfAnyLanguageInCommentsAreNoObstacle) {
  const auto profiles = profiles_from_fas_rs(
      "\xef\xbb\xbf# \xe2\x9d\xa4\xef\xb8\x8f \xef\xba\xbf \xc3\xa9\n[game_list]\n\"com.a\" = 60\n",
      "games.toml");
  ASSERT_TRUE(profiles);
  EXPECT_THAT(*profiles, HasSubstr("com.a"));
}

TEST(FasRsImport, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_THAT(problem_in_games("x = 1\n"), HasSubstr("no [game_list]"));
  EXPECT_THAT(problem_in_games("[game_list]\n\"com.a\" = \n"), HasSubstr("games.toml:2: "));
  EXPECT_EQ(problem_in_games("[game_list]\n\"com.a\" = [60, \"x\"]\n"),
            "games.toml:2: a rate must be from 1 to 480 fps");
  EXPECT_THAT(problem_in_games("[game_list]\n\"com.a\" = []\n"), HasSubstr("1 to 8 rates"));
  EXPECT_THAT(problem_in_games("[game_list]\n\n\"com a\" = 60\n"),
              HasSubstr("games.toml:3: no package"));
  EXPECT_THAT(problem_in_games("[game_list]\n\"com.a\" = \"max\"\n"),
              HasSubstr("must be \"auto\""));
  EXPECT_THAT(problem_in_games("[game_list]\n[fast]\nmargin_fps = 70\n"),
              HasSubstr("games.toml:3: fast"));
  EXPECT_THAT(problem_in_games("[game_list]\n[fast]\nmargin_fps = nan\n"),
              HasSubstr("from 0 to 60"));
  EXPECT_THAT(problem_in_games("[game_list]\n\"com.a\" = 1\n\"com.a\" = 2\n"),
              HasSubstr("games.toml:3"));
  EXPECT_THAT(problem_in_games(std::string(2U << 20U, '#')), HasSubstr("larger than 1 MiB"));
  EXPECT_THAT(problem_in_games("[game_list]\nx = " + std::string(5000, '[') + "\n"),
              HasSubstr("games.toml:2"));
}

TEST(FasRsImport, NoTextEndsTheProgram) {
  // Each runs into an assertion of toml++, or into a recursion as deep as the file is long.
  for (const char* text : {"[[[", "[.", "[game_list]\na.=1", "[[]]", "a={b", "\"\"\"", "a=\x01"}) {
    EXPECT_THAT(problem_in_games(text), HasSubstr("games.toml")) << text;
  }
  std::string path;
  for (int i = 0; i < 400'000; ++i) {
    path += "a.";
  }
  EXPECT_THAT(problem_in_games("\n" + path + "a = 1\n"), HasSubstr("games.toml:2: "));
  EXPECT_THAT(problem_in_games("[" + path + "a]\n"), HasSubstr("games.toml:1: "));
}

}  // namespace
}  // namespace framegov

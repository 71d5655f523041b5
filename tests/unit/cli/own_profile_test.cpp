// SPDX-License-Identifier: Apache-2.0
#include "cli/own_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "config/load.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::cli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kApp = "com.example.app";
constexpr const char* kFile = "app-com.example.app.yaml";

class OwnProfileTest : public ::testing::Test {
 protected:
  void write(const char* name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }
  [[nodiscard]] Result<OwnProfile> load() const { return OwnProfile::load(folder_.path(), kApp); }
  /// What the file says after these were put one after the other.
  Json put(const std::vector<Json>& values) {
    for (const Json& each : values) {
      auto own = *load();
      EXPECT_TRUE(own.merge(each));
      write(kFile, own.to_yaml());
      EXPECT_TRUE(parse_settings(own.to_yaml(), "f")) << own.to_yaml();
    }
    return load()->to_json();
  }

  test::TemporaryFolder folder_;
};

TEST_F(OwnProfileTest, WhatIsNotThereIsEmpty) { EXPECT_TRUE(load()->to_json().is_null()); }

TEST_F(OwnProfileTest, WhatIsNotNamedStays) {
  EXPECT_EQ(put({{{"margin", "10%"}, {"ceilings", {{"big", "1.8GHz"}}}, {"enabled", true}},
                 {{"target_fps", {30, 60}}, {"ceilings", {{"little", "60%"}}}}}),
            Json({{"margin", "10%"},
                  {"ceilings", {{"big", "1.8GHz"}, {"little", "60%"}}},
                  {"enabled", "true"},
                  {"target_fps", {"30", "60"}}}));
}

TEST_F(OwnProfileTest, NullTakesAway) {
  EXPECT_EQ(put({{{"margin", "10%"}, {"eps", 0.01}, {"ceilings", {{"big", "1.8GHz"}}}},
                 {{"margin", nullptr},
                  {"ceilings", {{"big", nullptr}}},
                  {"floors", {{"all", nullptr}}}}}),
            Json({{"eps", "0.01"}}));
  EXPECT_TRUE(put({{{"eps", nullptr}}}).is_null());
}

TEST_F(OwnProfileTest, WhatAnOwnerWroteStays) {
  write(kFile,
        "profiles:\n  apps:\n    com.example.app:\n      modes: {fast: {margin: 0.2}}\n"
        "    com.other: {enabled: false}\n");
  EXPECT_EQ(put({{{"policy", "pid"}}}),
            Json({{"modes", {{"fast", {{"margin", "0.2"}}}}}, {"policy", "pid"}}));
  EXPECT_THAT(folder_.read(kFile), HasSubstr("com.other"));
}

TEST_F(OwnProfileTest, TextStaysText) {
  const std::string odd = "a: {b}\n  c: \"d\" # é";
  auto own = *load();
  EXPECT_TRUE(own.merge({{"policy", odd}}));
  write(kFile, own.to_yaml());
  EXPECT_EQ(load()->to_json(), Json({{"policy", odd}}));
}

TEST_F(OwnProfileTest, ValuesThatNestWithoutEndAreRefused) {
  Json lists = 1;
  Json maps = 1;
  for (int i = 0; i < 1000; ++i) {
    lists = Json::array({lists});
    maps = Json{{"a", maps}};
  }
  auto own = *load();
  EXPECT_FALSE(own.merge({{"margin", lists}}));
  EXPECT_FALSE(own.merge(maps));
  EXPECT_TRUE(load()->to_json().is_null());
}

TEST_F(OwnProfileTest, AnAliasIsNoOtherEntrysChange) {
  write(kFile, "profiles:\n  apps:\n    com.example.app: &x {enabled: true}\n    com.other: *x\n");
  put({{{"enabled", false}}});
  write("app-com.other.yaml", folder_.read(kFile));
  const auto other = OwnProfile::load(folder_.path(), "com.other");
  EXPECT_EQ(other->to_json(), Json({{"enabled", "true"}}));
  write(kFile, "profiles:\n  apps:\n    com.example.app: &x {modes: *x}\n");
  EXPECT_FALSE(load());
}

TEST_F(OwnProfileTest, WhatIsLeftTellsWhetherTheFileMayGo) {
  put({{{"enabled", false}}});
  auto own = *load();
  EXPECT_FALSE(own.is_empty());
  own.clear();
  EXPECT_TRUE(own.is_empty());
  write(kFile, "profiles:\n  apps:\n    com.example.app: {}\n    com.other: {margin: 0}\n");
  own = *load();
  own.clear();
  EXPECT_FALSE(own.is_empty());
}

TEST_F(OwnProfileTest, AFileThatIsNoYamlIsAnError) {
  for (const char* text : {"a: [", "{},\n", "a: b\n---\nc: d\n"}) {
    write(kFile, text);
    const auto own = load();
    ASSERT_FALSE(own) << text;
    EXPECT_THAT(own.error().to_string(), HasSubstr("profile drop")) << text;
  }
}

}  // namespace
}  // namespace framegov::cli

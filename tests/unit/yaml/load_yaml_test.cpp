// SPDX-License-Identifier: Apache-2.0
#include "base/yaml/load_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace framegov {
namespace {

using ::testing::HasSubstr;

std::string problem_in(const std::string& text) {
  try {
    static_cast<void>(load_yaml(text));
  } catch (const YAML::Exception& error) {
    return "line " + std::to_string(error.mark.line + 1) + ": " + error.msg;
  }
  return "none";
}

TEST(LoadYaml, ADocumentOrNone) {
  EXPECT_EQ((*load_yaml("a: 1"))["a"].Scalar(), "1");
  EXPECT_FALSE(load_yaml("").has_value());
  EXPECT_FALSE(load_yaml("# nothing\n").has_value());
  EXPECT_TRUE(load_yaml("~")->IsNull());
  EXPECT_EQ(problem_in("a: 1\n---\nb: 2\n"), "line 2: only one YAML document is expected");
  EXPECT_THAT(problem_in("{a: 1},\n"), HasSubstr("',' is not expected here"));
}

TEST(LoadYaml, AliasesOfASensibleFileAreFollowed) {
  const auto root = load_yaml("a: &a {x: 1, y: [2, 3]}\nb: *a\nc: [*a, *a]\n");
  EXPECT_EQ((*root)["c"][1]["y"][0].Scalar(), "2");
}

TEST(LoadYaml, NothingGrowsWithoutEnd) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int n = 1; n < 10; ++n) {
      laughs += ", " + before;
    }
    laughs += "]\n";
  }
  EXPECT_THAT(problem_in(laughs), HasSubstr("too large with its aliases followed"));

  std::string long_word = "[&a " + std::string(40'000, 'x');
  for (int n = 0; n < 10'000; ++n) {
    long_word += ", *a";
  }
  EXPECT_THAT(problem_in(long_word + "]"), HasSubstr("too large with its aliases followed"));

  EXPECT_EQ(problem_in("a: &a [1, *a]"), "line 1: an alias of what it stands in");
  for (const char* open : {"[", "{a: ", "- ", "? "}) {
    std::string deep;
    for (int n = 0; n < 100'000; ++n) {
      deep += open;
    }
    EXPECT_NE(problem_in(deep), "none") << open;
  }
}

TEST(LoadYaml, WhatHasNoAliasMayBeOfAnySize) {
  std::string flat;
  std::string sets;
  for (int n = 0; n < 50'000; ++n) {
    flat += "-\n";
    sets += sets.empty() ? "{a" : ",a";
  }
  EXPECT_EQ(problem_in(flat), "none");
  EXPECT_EQ(problem_in(sets + "}"), "none");
  EXPECT_EQ(problem_in("a: \"" + std::string(300'000, 'x') + "\""), "none");
}

}  // namespace
}  // namespace framegov

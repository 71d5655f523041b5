// SPDX-License-Identifier: Apache-2.0
#include "cli/web/gate.h"

#include <gtest/gtest.h>

namespace framegov::web {
namespace {

TEST(Gate, TokensAreLongAndNeverTheSame) {
  const auto one = make_token();
  const auto two = make_token();
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->size(), 32U);
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(same_token(*one, *one));
  EXPECT_FALSE(same_token(*one, *two));
  EXPECT_FALSE(same_token(*one, one->substr(1)));
  EXPECT_FALSE(same_token(*one, ""));
}

TEST(Gate, OnlyItsOwnHost) {
  EXPECT_TRUE(own_host("127.0.0.1:8765", 8765));
  EXPECT_TRUE(own_host("localhost:8765", 8765));
  for (const char* host : {"", "evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80"}) {
    EXPECT_FALSE(own_host(host, 8765)) << host;
  }
}

TEST(Gate, CommandsOfThePagePass) {
  for (const char* body :
       {R"(["status","--json"])", R"(["explain","--last","20"])", R"(["mode","powersave"])",
        R"(["ab","--background","--app","com.example.game","--minutes","30"])",
        R"(["ab","--show"])",
        R"(["profile","put","com.example.game","{\"margin\":\"10%\"}","--json","--preview"])"}) {
    EXPECT_TRUE(allowed_words(body).has_value()) << body;
  }
  EXPECT_EQ(allowed_words(R"(["app","a.b","off"])")->size(), 3U);
}

TEST(Gate, OtherCommandsDoNot) {
  for (const char* body :
       {"", "{}", "[]", "null", R"("status")", R"([1])", R"(["web"])", R"(["record","/data/x"])",
        R"(["profile"])", R"(["profile","import","/etc/passwd"])", R"(["log","-f"])",
        R"(["ab","--app","com.example.game"])", R"(["ab","--show","--html","/data/x"])",
        R"(["status","--socket","x"])", R"(["doctor","--config=/etc/passwd"])",
        R"(["status","a\u0000b"])", R"(["status","a","b","c","d","e","f","g","h"])"}) {
    EXPECT_FALSE(allowed_words(body).has_value()) << body;
  }
}

TEST(Gate, PathsStayBelowThePage) {
  EXPECT_EQ(file_of("/"), "index.html");
  EXPECT_EQ(file_of("/views/status.js?x"), "views/status.js");
  for (const char* path : {"/../secret", "//etc/passwd", "/a/../../b", "/%2e%2e/b", "x", ""}) {
    EXPECT_FALSE(file_of(path).has_value()) << path;
  }
}

}  // namespace
}  // namespace framegov::web

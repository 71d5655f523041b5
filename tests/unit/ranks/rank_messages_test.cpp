// SPDX-License-Identifier: Apache-2.0
// What ranks say to each other whatever their work is.
#include "cli/ranks/rank_messages.h"

#include <gmock/gmock.h>

#include <tuple>

#include "base/json_text.h"

namespace framegov::cli {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

/// As it comes over a line.
json sent(const json& message) { return json::parse(json_line(message)); }

TEST(RankMessages, ArriveAsTheyWereSent) {
  const auto meeting =
      meeting_in(sent(to_json(RankMeeting{"7.0", "host", {"10.0.0.1"}, 40'000, "s"})));
  ASSERT_TRUE(meeting);
  EXPECT_EQ(std::tie(meeting->job, meeting->host, meeting->port, meeting->secret),
            std::make_tuple("7.0", "host", 40'000, "s"));
  EXPECT_THAT(meeting->addresses, ElementsAre("10.0.0.1"));

  const auto greeting = greeting_in(sent(to_json(RankGreeting{"s", 3, "w"})));
  ASSERT_TRUE(greeting);
  EXPECT_EQ(std::tie(greeting->secret, greeting->rank, greeting->work),
            std::make_tuple("s", 3U, "w"));
}

TEST(RankMessages, StrangersDoNotSpeakLikeARank) {
  for (const char* const text :
       {"{}", "[]", R"({"secret":1,"rank":1,"work":"w"})", R"({"secret":"s","rank":-1,"work":"w"})",
        R"({"secret":"s","rank":1})"}) {
    EXPECT_FALSE(greeting_in(json::parse(text))) << text;
  }
  json meeting = to_json(RankMeeting{"7.0", "host", {}, 1, "s"});
  EXPECT_TRUE(meeting_in(meeting));
  meeting["port"] = 65'536;
  EXPECT_FALSE(meeting_in(meeting));
}

}  // namespace
}  // namespace framegov::cli

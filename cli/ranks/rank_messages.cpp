// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks/rank_messages.h"

namespace framegov::cli {

using nlohmann::json;

json to_json(const RankMeeting& meeting) {
  return {{"job", meeting.job},
          {"host", meeting.host},
          {"addresses", meeting.addresses},
          {"port", meeting.port},
          {"secret", meeting.secret}};
}

std::optional<RankMeeting> meeting_in(const json& message) {
  return read_or_nothing([&]() -> std::optional<RankMeeting> {
    return RankMeeting{message.at("job"), message.at("host"), message.at("addresses"),
                       number_at<std::uint16_t>(message.at("port")), message.at("secret")};
  });
}

json to_json(const RankGreeting& greeting) {
  return {{"secret", greeting.secret}, {"rank", greeting.rank}, {"work", greeting.work}};
}

std::optional<RankGreeting> greeting_in(const json& message) {
  return read_or_nothing([&]() -> std::optional<RankGreeting> {
    return RankGreeting{message.at("secret"), number_at<std::size_t>(message.at("rank")),
                        message.at("work")};
  });
}

const json& list_in(const json& list) {
  (void)list.get_ref<const json::array_t&>();
  return list;
}

}  // namespace framegov::cli

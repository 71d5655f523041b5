// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "governor/control/control_json.h"
#include "governor/control/control_protocol.h"
#include "governor/control/control_socket.h"

namespace framegov {

namespace {

using Json = nlohmann::json;

constexpr Duration kPatience = std::chrono::seconds{5};
constexpr std::size_t kLongestAnswer = 4U << 20U;

tl::unexpected<Error> lost(const std::string& what) {
  return fail(ExitCode::kFailure, what, "run framegov status to see if framegovd is still running");
}

}  // namespace

ControlClient::ControlClient(UniqueFd fd) : fd_(std::move(fd)), lines_(kLongestAnswer) {}

Result<ControlClient> ControlClient::connect(std::string_view name) {
  FRAMEGOV_TRY(auto fd, connect_to(name));
  return ControlClient(std::move(fd));
}

Result<std::optional<Json>> ControlClient::next_line(Duration timeout) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
  while (true) {
    if (const auto line = lines_.take()) {
      Json json = Json::parse(*line, nullptr, false);
      return json.is_object() ? Result<std::optional<Json>>(std::move(json))
                              : lost("the service's answer is not valid protocol");
    }
    pollfd poll{fd_.get(), POLLIN, 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(milliseconds));
    if (ready == 0 || (ready < 0 && errno == EINTR)) {
      return std::nullopt;
    }
    std::array<char, 16384> part{};
    const ssize_t got = ::recv(fd_.get(), part.data(), part.size(), 0);
    if (got <= 0) {
      return lost("the service has closed the connection");
    }
    if (!lines_.add({part.data(), static_cast<std::size_t>(got)})) {
      return lost("the service's answer is too long");
    }
  }
}

Result<Json> ControlClient::ask(const Json& request) {
  Json sent = request;
  sent["v"] = kProtocolVersion;
  sent["id"] = 1;
  const std::string line = to_line(sent);
  if (::send(fd_.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size())) {
    return lost("the service does not accept a request");
  }
  while (true) {
    FRAMEGOV_TRY(auto answer, next_line(kPatience));
    if (!answer) {
      return lost("the service does not answer");
    }
    if (answer->contains("event")) {
      continue;  // of an earlier stream
    }
    if (answer->value("ok", false)) {
      return std::move((*answer)["result"]);
    }
    const Json& error = answer->contains("error") ? (*answer)["error"] : Json::object();
    return fail(static_cast<ExitCode>(error.value("code", 1)),
                error.value("message", "the service refuses"), error.value("hint", ""));
  }
}

Result<std::optional<Json>> ControlClient::next_event(Duration timeout) {
  FRAMEGOV_TRY(auto line, next_line(timeout));
  if (!line || !line->contains("data")) {
    return std::nullopt;
  }
  return std::optional<Json>(std::move((*line)["data"]));
}

}  // namespace framegov

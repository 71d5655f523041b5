// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov::cli {

/// A TCP connection that carries one JSON object a line.
class LineSocket {
 public:
  explicit LineSocket(UniqueFd socket);

  [[nodiscard]] int fd() const { return socket_.get(); }
  /// False: the connection is lost, or the other side has not read for long.
  [[nodiscard]] bool send(const nlohmann::json& message);
  /// The next message, waited for; nothing when the connection has ended.
  [[nodiscard]] std::optional<nlohmann::json> receive();
  /// Reads what has come, without waiting and not much more than `most` bytes at once. False: the
  /// connection has ended, or a line is longer than that.
  [[nodiscard]] bool read_some(std::size_t most);
  /// A message that has come whole; nothing: none has. What is no JSON is discarded().
  [[nodiscard]] std::optional<nlohmann::json> next();

 private:
  UniqueFd socket_;
  std::string read_;
};

/// Where a server of this machine can be reached.
struct Listener {
  UniqueFd socket;
  std::uint16_t port{};
  std::vector<std::string> addresses;  ///< numeric; empty: from this machine alone
};

[[nodiscard]] Result<Listener> listen_on_free_port(bool this_machine_only);
/// Nothing where nobody answers soon.
[[nodiscard]] std::optional<LineSocket> connect_to(const std::string& address, std::uint16_t port);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "governor/control/line_buffer.h"

namespace framegov {

/// The other end of the control socket, for the tool and for tests.
class ControlClient {
 public:
  /// Error: see connect_to().
  [[nodiscard]] static Result<ControlClient> connect(std::string_view name);

  /// Sends a request and waits for its answer: the result, or the service's error. Error too: the
  /// connection is lost, or no answer comes for some seconds.
  [[nodiscard]] Result<nlohmann::json> ask(const nlohmann::json& request);

  /// The data of the next event of a stream; nothing when none comes in `timeout` or a signal
  /// arrives. Error: the connection is lost.
  [[nodiscard]] Result<std::optional<nlohmann::json>> next_event(Duration timeout);

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit ControlClient(UniqueFd fd);

  [[nodiscard]] Result<std::optional<nlohmann::json>> next_line(Duration timeout);

  UniqueFd fd_;
  LineBuffer lines_;
};

}  // namespace framegov

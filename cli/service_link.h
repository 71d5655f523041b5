// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "governor/control/control_client.h"
#include "governor/control/control_protocol.h"

namespace framegov::cli {

/// How a subcommand finds the service: --socket, else FRAMEGOV_SOCKET, else the usual name.
class ServiceLink {
 public:
  /// Adds --socket to `command`.
  explicit ServiceLink(CLI::App& command);
  /// Without an option: FRAMEGOV_SOCKET, else the usual name.
  ServiceLink();

  [[nodiscard]] Result<ControlClient> connect() const;
  /// Connects, asks, and leaves.
  [[nodiscard]] Result<nlohmann::json> ask(const nlohmann::json& request) const;

 private:
  /// CLI11 writes into it when the command line is read, and copies of this object must see it.
  std::shared_ptr<std::string> name_;
};

/// What the footers of all these subcommands end with.
inline constexpr const char* kLinkExitCodes =
    "Exit codes: 0 ok, 1 the service is not running or failed, 2 wrong usage, 3 refused, 4 no "
    "permission, "
    "5 unsupported.";

}  // namespace framegov::cli

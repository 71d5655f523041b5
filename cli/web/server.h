// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/web/doorkeeper.h"
#include "cli/web/run_words.h"

namespace framegov::web {

struct ServerSettings {
  std::filesystem::path webroot;  ///< the page's files
  int port = 0;                   ///< of 127.0.0.1; 0: any that is free
  std::string token;
  DoorLimits limits = {};
  std::atomic<std::uint64_t>* turns = nullptr;  ///< counts the loop's turns, for tests
};

/// Runs a command of the page; tests have one of their own.
using Runner = std::function<Result<Finished>(const std::vector<std::string>&)>;

/// Serves the page and its commands on 127.0.0.1 until SIGINT or SIGTERM; `on_ready` is told the
/// port. One request at a time and on a connection. Error: the port is taken, or there is no page
/// in `webroot`.
[[nodiscard]] Status serve(const ServerSettings& settings, const Runner& run,
                           const std::function<void(int port)>& on_ready);

}  // namespace framegov::web

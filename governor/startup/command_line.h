// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace framegov {

/// What framegovd was started with.
struct ServiceOptions {
  std::string config;
  bool restore = false;
  bool enable = false;
  bool no_supervise = false;
};

/// Adds framegovd's options and help to `app`. Apart from main(), so that the manual page is made
/// from them too. `options` must outlive the parsing.
void add_service_options(CLI::App& app, ServiceOptions& options);

}  // namespace framegov

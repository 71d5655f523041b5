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

/// Lets the parser tell a mistake of the command line as the program tells everything else: "NAME:
/// what", then where to read on. A word that nobody knows is named, with the one that it may be a
/// slip of the pen of; the parser itself would first miss what the word was meant to be.
void tell_mistakes_as_program(CLI::App& app);

}  // namespace framegov

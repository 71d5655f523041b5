// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <iostream>

namespace framegov::cli {

void report(CommandResult& result, const Error& error) {
  std::cerr << "framegov: " << error.message << '\n';
  if (!error.hint.empty()) {
    std::cerr << "  " << error.hint << '\n';
  }
  result.code = error.code;
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "config/load.h"

namespace framegov::test {

/// What is wrong with a configuration, or "accepted".
inline std::string problem_in(const std::string& yaml) {
  const auto settings = parse_settings(yaml, "f.yaml");
  return settings ? "accepted" : settings.error().message;
}

}  // namespace framegov::test

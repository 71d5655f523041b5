// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace framegov::web {

struct Finished {
  int code = 0;
  std::string out;
  std::string err;
};

/// Runs this very program with `words` to its end, which must come within 20 s. Error: it cannot be
/// started. One that takes too long or says more than 4 MiB is killed; its code is 1.
[[nodiscard]] Result<Finished> run_words(const std::vector<std::string>& words);

}  // namespace framegov::web

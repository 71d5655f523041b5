// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>

namespace framegov::fuzz {

/// Ends the run when what must hold does not.
inline void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "ERROR: %s\n", what);
    std::abort();
  }
}

}  // namespace framegov::fuzz

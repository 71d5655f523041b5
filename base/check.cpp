// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace framegov {

void broken(const char* rule) {
  // No stream and no allocation: nothing is known of the program's state any more.
  for (const char* const part : {"framegov: broken rule: ", rule, "\n"}) {
    if (::write(STDERR_FILENO, part, std::strlen(part)) < 0) {
      break;
    }
  }
  std::abort();
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <utility>

#include "base/unique_fd.h"

namespace framegov {

/// The same open file with a number above all that this program needs otherwise, where the limit
/// allows it. A dying process lets go of its highest descriptors first (task_work_run is last in,
/// first out since Linux 4.3).
[[nodiscard]] inline UniqueFd lifted_high(UniqueFd fd) {
  // The kernel's table of descriptors grows to this: 8 KiB.
  constexpr int kHigh = 1000;
  UniqueFd high{::fcntl(fd.get(), F_DUPFD_CLOEXEC, kHigh)};
  return high ? std::move(high) : std::move(fd);
}

}  // namespace framegov

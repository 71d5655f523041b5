// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace framegov::test {

/// Calls of operator new by this thread since it began, in programs that link
/// framegov_allocation_counter.
[[nodiscard]] std::uint64_t allocations();

}  // namespace framegov::test

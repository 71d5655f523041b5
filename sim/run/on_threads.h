// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace framegov::sim {

/// work(0) ... work(count - 1), each once and in no order, on `jobs` threads (0: one for each CPU),
/// of which the caller's is one. Returns when all are done.
void on_threads(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work);

}  // namespace framegov::sim

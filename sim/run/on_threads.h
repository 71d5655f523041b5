// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace framegov::sim {

/// How many threads `jobs` are: 0 is one for each CPU.
[[nodiscard]] std::size_t threads_of(std::size_t jobs);

/// work(0) ... work(count - 1), each once and in no order, on `jobs` threads (threads_of()), of
/// which the caller's is one. Returns when all are done.
void on_threads(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work);

}  // namespace framegov::sim

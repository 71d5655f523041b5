// SPDX-License-Identifier: Apache-2.0
#include "sim/run/on_threads.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace framegov::sim {

std::size_t threads_of(std::size_t jobs) {
  return jobs > 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
}

void on_threads(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(threads_of(jobs), count); ++i) {
    threads.emplace_back(take);
  }
  take();
}

}  // namespace framegov::sim

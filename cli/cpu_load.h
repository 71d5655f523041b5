// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/result.h"

namespace framegov::cli {

/// Steady loops of integer arithmetic, one on each of some CPUs, until it is told otherwise or
/// goes. Of one thread.
class CpuLoad {
 public:
  CpuLoad() = default;
  CpuLoad(const CpuLoad&) = delete;
  CpuLoad& operator=(const CpuLoad&) = delete;
  ~CpuLoad() { stop(); }

  /// One loop on each CPU of the mask, nothing else. Error: a loop cannot be kept to its CPU, which
  /// is offline or forbidden to this process; then none runs.
  [[nodiscard]] Status run_on(std::uint64_t cpus);
  void stop();

 private:
  std::vector<std::thread> loops_;
  std::atomic<bool> ends_{false};
};

}  // namespace framegov::cli

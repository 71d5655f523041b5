// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// The CPU time of any thread: a task clock of perf_event_open. Unlike schedstat it is exact while
/// the thread runs.
class ThreadClock {
 public:
  ThreadClock() = default;
  /// An empty clock when the kernel gives none (perf_event_paranoid without root, no such thread).
  explicit ThreadClock(std::int32_t tid);

  [[nodiscard]] std::int32_t tid() const { return tid_; }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(event_); }

  /// CPU time since the clock was made; zero from an empty one. One system call.
  [[nodiscard]] Duration read() const;

 private:
  std::int32_t tid_ = 0;
  UniqueFd event_;
};

}  // namespace framegov

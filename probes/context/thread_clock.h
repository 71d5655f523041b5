// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/perf_event.h>

#include <cstdint>

#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/context/command_runner.h"

namespace framegov {

inline constexpr ThreadCounter kTaskClock{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0};

/// The CPU time of any thread: a task clock of perf_event_open, which is exact while the thread
/// runs. Where that is not allowed (perf_event_paranoid 3, as some kernels have it, wants all of
/// root), its schedstat: exact once the thread has slept, and behind by a tick at most while it
/// runs.
class ThreadClock {
 public:
  ThreadClock() = default;
  /// An empty clock when the kernel gives none (no such thread).
  explicit ThreadClock(std::int32_t tid);
  /// What the above falls back to.
  [[nodiscard]] static ThreadClock from_schedstat(std::int32_t tid);

  [[nodiscard]] std::int32_t tid() const { return tid_; }
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(file_); }

  /// CPU time since some moment that stays the same; zero from an empty one. One system call.
  [[nodiscard]] Duration read() const;

 private:
  std::int32_t tid_ = 0;
  UniqueFd file_;  ///< an event's, or schedstat
  bool is_schedstat_ = false;
};

}  // namespace framegov

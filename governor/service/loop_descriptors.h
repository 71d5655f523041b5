// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// What the service's loop waits on: its sources' descriptors, one timer and the signals that end
/// it or have it read its settings again. One thread.
class LoopDescriptors {
 public:
  /// Error: the kernel gives no epoll, timer or signal descriptor.
  [[nodiscard]] Status open();

  /// From now on wait() returns `fd` when it is readable. Error: it cannot be waited for.
  [[nodiscard]] Status watch(int fd);

  /// The descriptor that has something to read. Error: waiting failed.
  [[nodiscard]] Result<int> wait();

  [[nodiscard]] bool is_timer(int fd) const { return fd == timer_.get(); }
  [[nodiscard]] bool is_signals(int fd) const { return fd == signals_.get(); }

  /// SIGTERM, SIGINT or SIGHUP; 0 when none is there.
  [[nodiscard]] int take_signal();

  /// Wakes wait() then; never, where `at` is not known. It may be a little early, where that saves
  /// setting the timer again.
  void arm(Instant at);
  /// The timer has gone off: it is not armed any more.
  void on_timer() { armed_at_ = Instant{}; }

 private:
  UniqueFd epoll_;
  UniqueFd timer_;
  UniqueFd signals_;
  Instant armed_at_;
};

/// Keeps SIGTERM, SIGINT and SIGHUP for the service's own descriptor. Call before any thread.
void block_service_signals();

}  // namespace framegov

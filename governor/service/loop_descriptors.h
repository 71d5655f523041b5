// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/result.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// Descriptors that have something to read: all of them, so that the loop can take what is urgent
/// first, however much the others bring.
class ReadyDescriptors {
 public:
  static constexpr std::size_t kMost = 8;

  void add(int fd) { ready_.push_back(fd); }
  [[nodiscard]] bool has(int fd) const {
    return std::find(ready_.begin(), ready_.end(), fd) != ready_.end();
  }

 private:
  StaticVector<int, kMost> ready_;
};

/// What the service's loop waits on: its sources' descriptors, one timer and the signals that end
/// it or have it read its settings again. One thread.
class LoopDescriptors {
 public:
  /// Error: the kernel gives no epoll, timer or signal descriptor.
  [[nodiscard]] Status open();

  /// From now on wait() returns when `fd` is readable. Error: it cannot be waited for.
  [[nodiscard]] Status watch(int fd);

  /// Waits until one has something to read; with `only_look` it does not wait. Error: waiting
  /// failed.
  [[nodiscard]] Result<ReadyDescriptors> wait(bool only_look);

  [[nodiscard]] bool timer_is_in(const ReadyDescriptors& ready) const {
    return ready.has(timer_.get());
  }
  [[nodiscard]] bool signal_is_in(const ReadyDescriptors& ready) const {
    return ready.has(signals_.get());
  }

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

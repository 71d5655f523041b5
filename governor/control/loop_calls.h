// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// Lets another thread have something done by the loop's thread, between two steps: for the owner's
/// rare commands, so that what they change needs no lock. One at a time. The loop never waits.
class LoopCalls {
 public:
  using Call = std::function<Status()>;

  LoopCalls();
  LoopCalls(const LoopCalls&) = delete;
  LoopCalls& operator=(const LoopCalls&) = delete;
  ~LoopCalls();

  /// Hands `call` to the loop and waits for its outcome. From one other thread. Error: the call's
  /// own, or the loop did not answer in time (then the call may still be made, or never).
  [[nodiscard]] Status make(Call call, Duration timeout);

  /// Readable while a call waits for the loop.
  [[nodiscard]] int fd() const { return waits_.get(); }

  /// From the loop's thread: makes the call that waits, if any.
  void run();

 private:
  struct Pending;

  std::atomic<std::shared_ptr<Pending>*> next_{nullptr};
  UniqueFd waits_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace framegov {

/// Tells loss that goes on from loss that passes.
///
/// The kernel takes a CPU's perf event out of its context for good when that CPU goes offline,
/// which is also how a phone suspends; switching it on again does not bring it back. From then on
/// each record of that CPU is lost, and only new buffers help. Pure: time is an argument.
class LossWatch {
 public:
  static constexpr Duration kLong = std::chrono::seconds{5};
  /// Losses that follow each other within this are one that goes on: frames come in bursts.
  static constexpr Duration kTogether = std::chrono::seconds{10};
  /// So many looks must have seen it.
  static constexpr int kMany = 50;
  /// New buffers may be as lost on as the old ones.
  static constexpr Duration kNewBuffersEvery = std::chrono::minutes{1};

  /// The buffers are as old as the first call. True when they should be made anew.
  [[nodiscard]] bool on_look(Instant now, bool lost) {
    made_ = is_known(made_) ? made_ : now;
    if (!lost) {
      return false;
    }
    if (!is_known(last_) || now - last_ > kTogether) {
      first_ = now;
      looks_ = 0;
    }
    last_ = now;
    ++looks_;
    return looks_ >= kMany && now - first_ >= kLong && now - made_ >= kNewBuffersEvery;
  }

 private:
  Instant made_;
  Instant first_;
  Instant last_;
  int looks_ = 0;  ///< with loss, since first_
};

}  // namespace framegov

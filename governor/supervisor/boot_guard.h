// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// Keeps a service that does not last from being started for ever: a start is counted in the state
/// folder until it has lasted or ended by itself. So a start that takes the whole phone down counts
/// too, and a phone that restarts again and again because of it comes up without the service.
class BootGuard {
 public:
  static constexpr int kMostEarlyEnds = 5;

  /// The folder must outlive this.
  explicit BootGuard(const StateDir& state_dir) : state_dir_(state_dir) {}

  /// Error: kMostEarlyEnds starts in a row did not last; says how to allow another one.
  [[nodiscard]] Status check() const;

  /// A start begins; `why` is told when nobody says how it ended. Error: it cannot be counted.
  [[nodiscard]] Status begin(std::string_view why = "did not end before the phone did") const;
  /// It has lasted long enough, or ended well. Error: the file cannot be removed.
  [[nodiscard]] Status lasted() const;
  /// It ended before; `why` is told when there are too many.
  [[nodiscard]] Status ended_early(std::string_view why) const;
  /// It ended before, but by itself: it has found something wrong, which is no crash. The start
  /// does not count; those before it still do.
  [[nodiscard]] Status ended_itself() const;

 private:
  struct Count {
    int starts = 0;
    std::string why;  ///< the last one ended
  };
  [[nodiscard]] Count read() const;
  [[nodiscard]] Status write(const Count& count) const;

  const StateDir& state_dir_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/time.h"
#include "base/units.h"

namespace framegov {

/// The requests that one node held before its newest, for as long as the kernel may still show
/// them: it takes a written limit over in a work item, not in the write. What equals one of them
/// is not somebody else's. Bounded: of more than kKept requests in kTakeOver the oldest is
/// forgotten.
class RecentRequests {
 public:
  /// A written limit is in force well before this has passed.
  static constexpr Duration kTakeOver = std::chrono::milliseconds{50};

  /// `request` was replaced at `now`.
  void replaced(Frequency request, Instant now) {
    past_[next_++ % past_.size()] = {request, now + kTakeOver};
  }

  /// May `there`, read at `now`, be a request of ours that was replaced a moment ago?
  [[nodiscard]] bool may_be(Frequency there, Instant now) const {
    return std::any_of(past_.begin(), past_.end(),
                       [&](const Past& past) { return past.request == there && now < past.until; });
  }

 private:
  static constexpr std::size_t kKept = 16;  ///< more than two a frame at 240 Hz
  struct Past {
    Frequency request;
    Instant until;
  };
  std::array<Past, kKept> past_{};
  std::size_t next_ = 0;
};

}  // namespace framegov

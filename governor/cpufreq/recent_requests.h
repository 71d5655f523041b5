// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/time.h"
#include "base/units.h"

namespace framegov {

/// Time as far as the service was there to see it pass: no more than kMost counts between two
/// looks. What stalls the service (an overloaded or suspended phone) stalls the kernel's work items
/// too.
class WitnessedTime {
 public:
  static constexpr Duration kMost = std::chrono::milliseconds{50};

  /// Never zero, and comparable with other times of this clock only.
  [[nodiscard]] Instant at(Instant now) const {
    return witnessed_ + std::min(now - looked_at_, kMost);
  }
  void look(Instant now) {
    witnessed_ = at(now);
    looked_at_ = now;
  }
  [[nodiscard]] Instant looked_at() const { return looked_at_; }

 private:
  Instant witnessed_ = instant_from_ns(1);
  Instant looked_at_;
};

/// The requests that one node held before its newest. The kernel takes a written limit over in a
/// work item, not in the write, so it may still show one of them, and what equals one is not
/// somebody else's. Bounded: kKept different ones, the latest. All times are WitnessedTime's.
class RecentRequests {
 public:
  /// A written limit is in force well before this has passed, unless the phone is overloaded.
  static constexpr Duration kTakeOver = std::chrono::milliseconds{50};
  /// And before this even then.
  static constexpr Duration kLongestTakeOver = std::chrono::seconds{1};

  /// `request` was replaced at `now`.
  void replaced(Frequency request, Instant now) {
    auto* same = std::find_if(past_.begin(), past_.end(),
                              [&](const Past& past) { return past.request == request; });
    if (same == past_.end()) {
      same = std::min_element(past_.begin(), past_.end(),
                              [](const Past& a, const Past& b) { return a.at < b.at; });
    }
    *same = {request, now};
  }

  /// Was `there` a request of ours until `within` before `now`?
  [[nodiscard]] bool held(Frequency there, Instant now, Duration within) const {
    return std::any_of(past_.begin(), past_.end(), [&](const Past& past) {
      return past.request == there && now - past.at <= within;
    });
  }
  /// Was it at all, as far as is remembered?
  [[nodiscard]] bool held(Frequency there) const {
    return std::any_of(past_.begin(), past_.end(), [&](const Past& past) {
      return past.request == there && is_known(past.at);
    });
  }

  /// The highest that was held until `within` before `now`; zero where there is none.
  [[nodiscard]] Frequency highest(Instant now, Duration within) const {
    Frequency found;
    for (const Past& past : past_) {
      found = is_known(past.at) && now - past.at <= within ? std::max(found, past.request) : found;
    }
    return found;
  }

 private:
  static constexpr std::size_t kKept = 16;
  struct Past {
    Frequency request;
    Instant at;
  };
  std::array<Past, kKept> past_{};
};

}  // namespace framegov

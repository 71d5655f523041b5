// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/time.h"

namespace framegov {

/// From the time in a record to the record being there.
inline constexpr Duration kWriteDelay = std::chrono::microseconds{10};

/// Records that the kernel keeps in a buffer for each CPU, put in order of time.
///
/// Each CPU's records are in order, but the buffers are looked at one after the other: when a CPU's
/// has been found empty, a record may come to it before a later one is read from the next. So a
/// record waits until every buffer has been read to the end at a time later than its own.
///
/// `Record` has a method at() that tells its time.
template <class Record>
class TimeOrdered {
 public:
  /// `expected` records fit without an allocation.
  explicit TimeOrdered(std::size_t expected) { records_.reserve(expected); }

  void add(const Record& record) { records_.push_back(record); }

  /// Whatever is older than `instant` has been added.
  void complete_to(Instant instant) {
    complete_to_ = std::max(complete_to_, instant);
    records_.erase(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.at() < b.at(); });
  }

  /// The oldest, as long as none older can come; nullptr otherwise. Holds until complete_to().
  [[nodiscard]] Record* next() {
    return !empty() && records_[taken_].at() < complete_to_ ? &records_[taken_] : nullptr;
  }
  void pop() {
    check(!empty(), "a record of none");
    ++taken_;
  }

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const { return records_.size() - taken_; }
  /// All that wait, oldest first, those that are not yet complete included.
  [[nodiscard]] std::span<const Record> waiting() const {
    return std::span(records_).subspan(taken_);
  }

 private:
  std::vector<Record> records_;
  std::size_t taken_ = 0;  ///< at the front of records_, done with
  Instant complete_to_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

#include "base/check.h"
#include "base/units.h"

namespace framegov {

/// The work of the last `kRoom` frames, in order of arrival and of size: an empirical distribution.
///
/// add() moves O(kRoom) doubles that lie side by side and allocates nothing.
template <std::size_t kRoom>
class SortedWindow {
 public:
  static constexpr std::size_t kCapacity = kRoom;

  /// What is no number is left out: it has no place among the others.
  void add(Work work) {
    const double value = work.count();
    if (!std::isfinite(value)) {
      return;
    }
    double* const begin = sorted_.data();
    double* const place = first_not_below(value);
    if (size_ == kCapacity) {
      // What lies between the oldest and the new one's place moves by one.
      double* const old = first_not_below(by_arrival_[next_]);
      check(old < begin + size_, "a work that came and is not there");
      if (old < place) {
        std::move(old + 1, place, old);
        *(place - 1) = value;
      } else {
        std::move_backward(place, old, old + 1);
        *place = value;
      }
    } else {
      std::move_backward(place, begin + size_, begin + size_ + 1);
      *place = value;
      ++size_;
    }
    by_arrival_[next_] = value;
    next_ = (next_ + 1) % kCapacity;
  }
  void clear() {
    size_ = 0;
    next_ = 0;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// Ascending.
  [[nodiscard]] std::span<const double> sorted() const { return {sorted_.data(), size_}; }
  /// The largest; zero when empty.
  [[nodiscard]] Work largest() const { return Work{size_ == 0 ? 0.0 : sorted_[size_ - 1]}; }
  /// The smallest work that at least the part `q` of the frames do not exceed; zero when empty.
  [[nodiscard]] Work quantile(double q) const {
    if (size_ == 0) {
      return Work{};
    }
    const double rank = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(size_));
    return Work{sorted_[rank < 1 ? 0 : static_cast<std::size_t>(rank) - 1]};
  }

 private:
  /// std::lower_bound() without branches: which half a work is in cannot be foretold.
  [[nodiscard]] double* first_not_below(double value) {
    double* first = sorted_.data();
    std::size_t count = size_;
    while (count > 1) {
      const std::size_t half = count / 2;
      first += first[half - 1] < value ? half : 0;
      count -= half;
    }
    return first + (count == 1 && *first < value ? 1 : 0);
  }

  std::array<double, kRoom> by_arrival_{};
  std::array<double, kRoom> sorted_{};
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

/// A second at 60 Hz: what frames are like now.
using WorkWindow = SortedWindow<64>;

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/units.h"

namespace framegov {

/// The work of the last frames, in order of arrival and of size: an empirical distribution.
///
/// add() is O(kCapacity) moves of doubles within two cache lines' reach and allocates nothing.
class WorkWindow {
 public:
  static constexpr std::size_t kCapacity = 64;

  void add(Work work);
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
  [[nodiscard]] Work quantile(double q) const;

 private:
  std::array<double, kCapacity> by_arrival_{};
  std::array<double, kCapacity> sorted_{};
  std::size_t size_ = 0;
  std::size_t next_ = 0;
};

}  // namespace framegov

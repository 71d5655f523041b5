// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"

namespace framegov {

/// Which clusters have run frames lately: sets of clusters, bit i for cluster i.
class RecentClusters {
 public:
  /// A frame ran on these.
  void add(std::uint32_t clusters) {
    ++frame_;
    if (++counted_ == kCounted) {
      forget_half();
    }
    for (std::uint32_t rest = clusters; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      last_[i] = frame_;
      ++ran_[i];
    }
    in_use_ = clusters;
    if (visited_ == clusters) {
      return;  // no other has run any: the usual case
    }
    for (std::uint32_t rest = visited_ & ~clusters; rest != 0; rest &= rest - 1) {
      const std::uint64_t ago = frame_ - last_[static_cast<std::size_t>(std::countr_zero(rest))];
      const std::uint32_t bit = rest & ~(rest - 1);
      in_use_ |= ago < kInUse ? bit : 0U;
      visited_ &= ago < kVisited ? ~0U : ~bit;
    }
    visited_ |= clusters;
  }
  void clear() { *this = {}; }

  /// Ran one of the last few frames: a thread that goes to and fro may be back at any time.
  [[nodiscard]] std::uint32_t in_use() const { return in_use_; }
  /// Ran one of the last thousand: more than are allowed to be late once (eps 0.001).
  [[nodiscard]] std::uint32_t visited() const { return visited_; }
  /// Part of the frames of late that ran on cluster `i`.
  [[nodiscard]] double chance(std::size_t i) const {
    return counted_ > 0 ? static_cast<double>(ran_[i]) / counted_ : 0.0;
  }

 private:
  static constexpr std::uint64_t kInUse = 4;  ///< frames
  static constexpr std::uint64_t kVisited = 1024;
  static constexpr std::uint32_t kCounted = 256;

  void forget_half() {
    counted_ /= 2;
    for (std::uint32_t& ran : ran_) {
      ran /= 2;
    }
  }

  std::array<std::uint64_t, kMaxClusters> last_{};  ///< frame that ran there, counted from 1
  std::array<std::uint32_t, kMaxClusters> ran_{};   ///< of the frames counted
  std::uint32_t counted_ = 0;
  std::uint64_t frame_ = 0;
  std::uint32_t in_use_ = 0;
  std::uint32_t visited_ = 0;
};

}  // namespace framegov

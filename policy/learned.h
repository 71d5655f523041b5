// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/static_vector.h"

namespace framegov {

/// What a policy has learned of an app that holds as long as app and phone stay the same: what
/// takes hundreds of frames to find out again. How heavy frames are just now is not part of it; a
/// second tells.
struct Learned {
  static constexpr std::size_t kMostWorks = 8;

  std::uint64_t frames{};     ///< it rests on so many
  double eps{};               ///< the miss rate that the margins aim at
  double beginning_margin{};  ///< log of the factor; the first frames after a still screen
  double going_margin{};      ///< log of the factor; all others
  double fixed_s{};           ///< seconds that no frequency shortens
  /// Work of first frames after a still screen: quantiles at equal distances, reference cycles,
  /// ascending.
  StaticVector<double, kMostWorks> beginning_work;
};

}  // namespace framegov

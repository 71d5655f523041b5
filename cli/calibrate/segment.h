// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace framegov::calibrate {

/// A cluster as the measurement sees it.
struct ClusterShape {
  std::size_t cpus = 1;
  std::vector<double> mhz;  ///< of its OPPs, ascending
  bool operator==(const ClusterShape&) const = default;
};

/// `busy` CPUs of one cluster run a steady loop at one of its OPPs, every other CPU is at rest and
/// every other cluster at its lowest OPP. busy 0: the baseline, whatever cluster and OPP say.
struct Load {
  std::size_t cluster = 0;
  std::size_t opp = 0;
  std::size_t busy = 0;
  auto operator<=>(const Load&) const = default;
};

/// What the gauge said while one load ran, once it had settled.
struct Segment {
  int session = 0;  ///< stretch of time without an interruption
  double at_s = 0;  ///< its middle, from the session's beginning
  Load load;
  double readings = 0;            ///< that `mean_mw` is the mean of
  double mean_mw = 0;             ///< of the whole phone
  std::optional<double> celsius;  ///< of the battery; none: the phone does not say
  bool operator==(const Segment&) const = default;
};

/// Why a segment was thrown away.
enum class Drop : std::uint8_t {
  kHot,        ///< the battery got too hot
  kNotHeld,    ///< the cluster was too long at another OPP than the load's
  kSuspended,  ///< the phone was suspended
};

/// How many segments were thrown away, by reason.
using DropCounts = std::array<std::size_t, 3>;

}  // namespace framegov::calibrate

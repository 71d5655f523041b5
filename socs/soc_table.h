// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace framegov {

/// CPUs of one kind on a known SoC.
struct SocCluster {
  int first_cpu{};
  int cpu_count{};
  double relative_per_mhz{};            ///< performance per MHz; the SoC's fastest core has 1
  std::span<const std::uint32_t> opps;  ///< kHz, ascending; empty where they are not known
  /// What one busy core takes at each of `opps`, idle subtracted; empty where nobody measured it.
  std::span<const float> mw;

  [[nodiscard]] Frequency max_frequency() const {
    return opps.empty() ? Frequency{} : khz(opps.back());
  }
};

struct KnownSoc {
  std::string_view name;
  std::string_view fastest_core;
  double coremark_per_mhz{};  ///< of the fastest core
  std::string_view capacity_source;
  std::string_view power_source;  ///< empty: not measured
  std::span<const SocCluster> clusters;

  [[nodiscard]] int cpu_count() const {
    return clusters.back().first_cpu + clusters.back().cpu_count;
  }
};

/// Every SoC that is known (soc_list.py makes the list).
[[nodiscard]] std::span<const KnownSoc> known_socs();

/// The SoC of a recording by what it says of itself: SystemInfo's SoC model ("GS101", "SM8250") or
/// the device in its build fingerprint ("google/bluejay/bluejay:13/..."). Null when not known.
[[nodiscard]] const KnownSoc* find_soc(std::string_view soc_model, std::string_view fingerprint);

/// By its own name ("sdm660"), its vendor's name or number for it ("kona", "356"), that of a
/// simulated phone ("tensor_g1") or of a device ("bluejay"). Null when not known.
[[nodiscard]] const KnownSoc* find_soc(std::string_view name);

/// The frequencies (kHz, no order) that a CPU was told to have; empty: it was told none.
using SeenFrequencies = std::vector<std::vector<std::uint32_t>>;  // by CPU

/// Whether the SoC has those CPUs, and each of them all that it was told.
[[nodiscard]] bool has_all(const KnownSoc& soc, const SeenFrequencies& seen);

/// By the frequencies that a recording of `seen.size()` CPUs tells: those of each CPU are among the
/// OPPs of its cluster. Null where no SoC or more than one of different cores has them all, or
/// where too few are told to say so.
[[nodiscard]] const KnownSoc* find_soc_by_opps(const SeenFrequencies& seen);

}  // namespace framegov

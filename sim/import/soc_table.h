// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/units.h"

namespace framegov {

/// CPUs of one kind on a known SoC.
struct SocCluster {
  int first_cpu{};
  int cpu_count{};
  double relative_per_mhz{};  ///< performance per MHz; the SoC's fastest core has 1
  Frequency max_frequency;
};

struct KnownSoc {
  std::string_view name;
  std::string_view fastest_core;
  double coremark_per_mhz{};  ///< of the fastest core
  std::string_view capacity_source;
  std::span<const SocCluster> clusters;
};

/// The SoC of a recording by what it says of itself: SystemInfo's SoC model ("GS101", "SM8250") or
/// the device in its build fingerprint ("google/bluejay/bluejay:13/..."). Null when not known.
[[nodiscard]] const KnownSoc* find_soc(std::string_view soc_model, std::string_view fingerprint);

/// By its own name ("sdm660"). Null when not known.
[[nodiscard]] const KnownSoc* find_soc(std::string_view name);

}  // namespace framegov

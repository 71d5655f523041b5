// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "socs/soc_table.h"

namespace framegov {

/// A name that a phone has for its SoC, and where it says so.
struct SocName {
  std::string name;
  std::string said_by;
};

/// Null `soc`: not known.
struct PhoneSoc {
  const KnownSoc* soc = nullptr;
  std::string known_by;  ///< "/sys/devices/soc0/machine", "its frequencies"
};

/// The SoC of a phone. Names are believed only where the phone's clusters bear them out, so a wrong
/// one is harmless. In this order: a named SoC that has all frequencies of the phone; the only one
/// that has them, up to the same highest ones; a named one that has most.
[[nodiscard]] PhoneSoc find_phone_soc(std::span<const SocName> names, const CpuTopology& topology);

/// Gives every OPP of `topology` the power (mW, one busy core, idle subtracted) that was measured
/// on another phone of the SoC. Static power is in it, so clusters can be compared by it; the
/// kernel's energy model has none. What was not measured is interpolated, and CpuTopology says that
/// it was measured.
///
/// Error, and nothing is changed: nobody has measured the SoC, or the phone is not of its kind. The
/// CPUs of each cluster have to be among those of one of the SoC's, three of four frequencies the
/// SoC's too, and the highest ones no more than an eighth apart.
[[nodiscard]] Status set_measured_power(CpuTopology& topology, const KnownSoc& soc);

}  // namespace framegov

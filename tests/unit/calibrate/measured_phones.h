// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/unit/calibrate/simulated_battery.h"

namespace framegov::calibrate {

struct NamedPhone {
  std::string name;
  TruePhone phone;
};

/// Every phone whose power stands in `freqbench` (freqbench_all.csv): one for each run. A part of
/// the power is static, as its least one: three tenths of that. Left out are runs that cannot be
/// true or found: an OPP under 13 mW, a third of the gauge's step, which is less than what the idle
/// phone varied by; and one whose own name says that interrupts disturbed it.
[[nodiscard]] std::vector<NamedPhone> freqbench_phones(const std::string& freqbench);

/// A phone of the simulator.
[[nodiscard]] TruePhone simulated_phone(const std::string& name);

}  // namespace framegov::calibrate

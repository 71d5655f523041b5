// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cpu_topology.h"

namespace framegov::test {

/// A phone-like device: little (cpu0-3), mid (cpu4-5) and big (cpu6-7) clusters, six OPPs each,
/// power about C f V^2. The big core is the reference: 2.8e9 cycles/s at the top.
[[nodiscard]] CpuTopology phone_topology();

}  // namespace framegov::test

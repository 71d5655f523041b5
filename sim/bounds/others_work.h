// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace framegov::sim {

/// Whether a bound lets others' work wait while no frame is made, if that is cheaper.
enum class OthersWork : std::uint8_t {
  kMayWait,  ///< what the plant charges: others' work costs its energy at OPPs too low for it too
  kIsDone,   ///< only OPPs that their busiest CPU's load fits into, or the top one
};

}  // namespace framegov::sim

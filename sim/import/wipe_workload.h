// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// A scene of yc9559/wipe-v2: recorded on a Snapdragon 660 whose four A73 cores were locked at one
/// frequency, so that loads are cycles.
///
/// `renderLoad` rows are [ms of doFrame, percent]: how busy the busiest of the four cores was in
/// the `frameQuantum` ms from there. That is taken as the frame's work, one stage (100 is "at
/// least": the recording does not tell how much more). `windowedLoad` rows are [most, core 0, ..,
/// touch] per `windowQuantum` ms; what frames do not account for is other load of the cluster. Only
/// the big cluster was recorded. The refresh rate is not told: 60, 90, 120 or 144 Hz, whose
/// interval is `frameQuantum` whole ms. Instants are counted from one second on, as zero means
/// unknown. A scene without frames (an idle phone, work with the screen off) has other load alone.
///
/// Fails with kBadInput on JSON that is damaged or of another kind.
[[nodiscard]] Result<Workload> read_wipe_workload(std::string_view json);

}  // namespace framegov::sim

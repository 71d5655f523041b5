// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/workload/workload.h"

namespace framegov::sim {

/// Leaves the frames of `app` (index into Workload::apps) alone. What the others' threads ran is
/// others' load from then on, where the recording has such and their times are known: the phone
/// did it beside the app, and went as fast as that took.
void keep_app(Workload& workload, std::uint32_t app);

/// Leaves out, in the same way, frames that were made at the same time as one of an app that has
/// more. Returns how many those are.
std::size_t keep_one_app_at_a_time(Workload& workload);

}  // namespace framegov::sim

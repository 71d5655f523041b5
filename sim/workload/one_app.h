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

/// Marks frames of apps that draw beside one that has more (or that is no live wallpaper and not
/// SystemUI): that one is taken for the app on top, and policies are not told of the others'. An
/// app draws beside it from pause to pause (of a second), if any of the frames between is made at
/// the same time. Returns how many are marked.
std::size_t mark_apps_beside(Workload& workload);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/workload.h"

namespace framegov {

/// Leaves the frames of `app` (index into Workload::apps) alone. What the others' threads ran is
/// others' load from then on, where the recording has such and their times are known: the phone
/// did it beside the app, and went as fast as that took.
void keep_app(Workload& workload, std::uint32_t app);

/// Whether frames of different apps were made at the same time.
[[nodiscard]] bool apps_overlap(const Workload& workload);

}  // namespace framegov

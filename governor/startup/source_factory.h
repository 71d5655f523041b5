// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "config/settings.h"
#include "governor/log/log.h"
#include "probes/frame_source.h"
#include "probes/sources/source_plan.h"

namespace framegov {

/// What the plan of sources goes by on this phone: its kernel's features and the probe sites of the
/// libraries that the settings name.
[[nodiscard]] PlanInput survey_sources(const ServiceSettings& settings);

/// The best frame source that this kernel and these libraries allow, or the one that the settings
/// choose; the last resort gives no frames. Logs which it is and why none that is better.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> make_frame_source(
    const ServiceSettings& settings, const CpuTopology& topology, Log& log);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "config/settings.h"
#include "probes/frame_source.h"

namespace framegov {

/// The best frame source that this kernel and these libraries allow. Error: none can be had, with
/// what is missing.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> make_frame_source(
    const ServiceSettings& settings, const CpuTopology& topology);

}  // namespace framegov

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
#include "probes/sources/zygisk_source.h"

namespace framegov {

/// What the plan of sources goes by on this phone: its kernel's features and the probe sites of the
/// libraries that the settings name.
[[nodiscard]] PlanInput survey_sources(const ServiceSettings& settings);

struct SourceWishes {
  /// Of a source that is in the apps themselves, those in which it stays; none: in all.
  AppFilter watched;
  /// Frames are to tell what the GPU takes for them. It is one more trap for each frame of every
  /// app, so it is paid only where nothing else tells of the GPU (GpuLoad).
  bool gpu = false;
};

/// The best frame source that this kernel and these libraries allow, or the one that the settings
/// choose; the last resort gives no frames. Logs which it is and why none that is better.
[[nodiscard]] Result<std::unique_ptr<FrameSource>> make_frame_source(
    const ServiceSettings& settings, const CpuTopology& topology, Log& log,
    const SourceWishes& wishes = {});

/// Apps that are governed, by the owner's switches as they stand when it is asked, and by
/// `settings`, which must outlive it. A pause counts for nothing: apps outlast it.
[[nodiscard]] AppFilter governed_apps(const Settings& settings);

}  // namespace framegov

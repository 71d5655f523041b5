// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "config/settings.h"
#include "governor/log/log.h"
#include "governor/service/service.h"

namespace framegov {

/// Makes the source of frames; what make_frame_source is.
using SourceMaker =
    std::function<Result<std::unique_ptr<FrameSource>>(const ServiceSettings&, const CpuTopology&)>;

/// Everything up to run(): takes the single-instance lock, undoes what a killed service left, reads
/// the topology, makes policy, source and actuator. On an error nothing is capped. The log must
/// outlive the service.
[[nodiscard]] Result<std::unique_ptr<Service>> start_service(const Settings& settings,
                                                             const SourceMaker& make_source,
                                                             Log& log);

/// Undoes what a killed service or calibration left, limits, threads and probes, and does nothing
/// else. Beside a service that is paused: what a killed calibration left. Error: a service is
/// running and not paused, a calibration runs, or something could not be put back.
[[nodiscard]] Status restore_only(const ServiceSettings& settings, Log& log);

/// Puts back the frame engines that `framegov engine` has switched off, where no service runs. Not
/// after a crash: an owner's choice is none of the service's limits.
[[nodiscard]] Status restore_engines(const ServiceSettings& settings, Log& log);

/// Takes away the probes that a killed service left in tracefs. start_service() and restore_only()
/// do so too.
void remove_dead_probes(const ServiceSettings& settings, Log& log);

/// Are there saved limits or threads that no running service will put back? Takes the service's
/// lock while it looks, and waits for one that is ending.
[[nodiscard]] bool find_owed_limits(const ServiceSettings& settings);

}  // namespace framegov

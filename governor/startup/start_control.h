// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "config/settings.h"
#include "governor/control/control_server.h"
#include "governor/log/log.h"
#include "governor/service/service.h"
#include "probes/context/gpu_work.h"

namespace framegov {

/// Opens the control sockets of a service, while it may still make some. Nothing when they are
/// switched off or cannot be had; the log says so, and what is wrong with one of them.
[[nodiscard]] std::optional<ControlListeners> open_control(const ServiceSettings& settings,
                                                           Log& log);

/// What tells of the GPU's load where no node does, opened while root may. Nothing: a node tells,
/// or the kernel has no such event; the log says when it cannot be had.
[[nodiscard]] std::optional<GpuWork> open_gpu_work(const ServiceSettings& settings, Log& log);

/// Answers on the sockets of a service that is about to run; to be called when privileges are
/// dropped, so that its thread has none either. It must end before the service and the log. Null
/// without sockets or when it cannot be had: the log says so, and the service governs without.
[[nodiscard]] std::unique_ptr<ControlServer> start_control(
    const Settings& settings, std::string_view version, Service& service,
    std::optional<ControlListeners> listeners, std::optional<GpuWork> gpu_work, Log& log);

}  // namespace framegov

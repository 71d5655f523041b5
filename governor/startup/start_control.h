// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "config/settings.h"
#include "governor/control/control_server.h"
#include "governor/log/log.h"
#include "governor/service/service.h"
#include "probes/context/gpu_nodes.h"
#include "probes/context/gpu_work.h"

namespace framegov {

/// Opens the control sockets of a service, while it may still make some. Nothing when they are
/// switched off or cannot be had; the log says so, and what is wrong with one of them.
[[nodiscard]] std::optional<ControlListeners> open_control(const ServiceSettings& settings,
                                                           Log& log);

/// What tells of the GPU's load: a driver's node, else the kernel's events; neither: only frames
/// can tell of it.
struct GpuLoad {
  std::optional<GpuNodes> nodes;
  std::unique_ptr<GpuWork> work;
  [[nodiscard]] bool is_told() const { return nodes || work; }
  /// The trace buffer that it takes away when it ends; empty: none.
  [[nodiscard]] std::filesystem::path trace_buffer() const {
    return work ? work->folder() : std::filesystem::path();
  }
};

/// Opens it, while root may. The log says when there are events that cannot be had.
[[nodiscard]] GpuLoad open_gpu_load(const ServiceSettings& settings, Log& log);

/// Answers on the sockets of a service that is about to run; to be called when privileges are
/// dropped, so that its thread has none either. It must end before the service and the log. Null
/// without sockets or when it cannot be had: the log says so, and the service governs without.
[[nodiscard]] std::unique_ptr<ControlServer> start_control(
    const Settings& settings, std::string_view version, Service& service,
    std::optional<ControlListeners> listeners, GpuLoad gpu, Log& log);

}  // namespace framegov

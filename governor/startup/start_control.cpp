// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/start_control.h"

#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "governor/control/control_protocol.h"
#include "governor/startup/switch_keeper.h"
#include "governor/state/state_dir.h"
#include "probes/context/kernel_features.h"

namespace framegov {

namespace {

OwnerActions actions_of(Service& service, StateDir state_dir) {
  const auto keeper = std::make_shared<SwitchKeeper>(service, std::move(state_dir));
  OwnerActions actions;
  actions.set_mode = [keeper](const std::string& mode) { return keeper->set_mode(mode); };
  actions.set_app = [keeper](const AppSwitch& app) { return keeper->set_app(app); };
  actions.set_app_mode = [keeper](const std::string& package, const std::string& mode) {
    return keeper->set_app_mode(package, mode);
  };
  actions.app_mode = [keeper](const std::string& package) { return keeper->app_mode(package); };
  actions.set_pause = [keeper](const std::optional<Pause>& pause) {
    return keeper->set_pause(pause);
  };
  return actions;
}

}  // namespace

std::optional<ControlListeners> open_control(const ServiceSettings& settings, Log& log) {
  const std::string& name = settings.control_socket;
  if (name == "none") {
    return std::nullopt;
  }
  auto listeners = ControlListeners::open(name, settings.state_dir / kControlFile);
  if (!listeners) {
    log.warning("no-socket", "no control socket: " + listeners.error().to_string());
    return std::nullopt;
  }
  if (!listeners->has_name()) {
    log.warning("socket-name-taken",
                listeners->problem() + "; the name is tried again. Until then framegov comes by " +
                    listeners->file());
  } else if (!listeners->problem().empty()) {
    log.warning("socket-problem", listeners->problem());
  }
  if (listeners->has_name()) {
    log.info("socket", "control socket @" + listeners->name());
  }
  return *std::move(listeners);
}

GpuLoad open_gpu_load(const ServiceSettings& settings, Log& log) {
  GpuLoad load;
  if (GpuNodes nodes(settings.sys_root); !nodes.file().empty()) {
    load.nodes = std::move(nodes);
  } else if (const auto tracefs = find_tracefs(settings.proc_root); GpuWork::is_told(tracefs)) {
    if (auto work = GpuWork::open(tracefs)) {
      load.work = std::make_unique<GpuWork>(*std::move(work));
    } else {
      log.warning("no-gpu-load", "the GPU's load is not known: " + work.error().to_string());
    }
  }
  return load;
}

std::unique_ptr<ControlServer> start_control(const Settings& settings, std::string_view version,
                                             Service& service,
                                             std::optional<ControlListeners> listeners, GpuLoad gpu,
                                             Log& log) {
  const ControlFeed* feed = service.feed();
  if (!listeners || feed == nullptr) {
    return nullptr;
  }
  auto for_history = StateDir::open(settings.service.state_dir);
  auto for_switches = StateDir::open(settings.service.state_dir);
  if (!for_history || !for_switches) {
    const Error& error = for_history ? for_switches.error() : for_history.error();
    log.warning("no-socket", "no control socket: " + error.to_string());
    return nullptr;
  }
  ControlDesk desk({std::string(version), monotonic_now(), std::string(service.thread_means())},
                   *feed, log.lines(), UsageHistory::load(*std::move(for_history)),
                   actions_of(service, *std::move(for_switches)));
  if (auto tree = CpufreqTree::open(settings.service.cpu_root)) {
    desk.read_frequencies_from(*std::move(tree));
  }
  if (gpu.nodes) {
    desk.read_gpu_from(*std::move(gpu.nodes));
  } else if (gpu.work) {
    desk.read_gpu_from(std::move(gpu.work));
  }
  desk.read_threads_from(settings.service.proc_root);
  auto server = ControlServer::start(*std::move(listeners), feed->usage_fd(), std::move(desk));
  if (!server) {
    log.warning("no-socket", "no control socket: " + server.error().to_string());
    return nullptr;
  }
  return *std::move(server);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/start_control.h"

#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "governor/control/control_socket.h"
#include "governor/startup/switch_keeper.h"
#include "governor/state/state_dir.h"

namespace framegov {

namespace {

OwnerActions actions_of(Service& service, StateDir state_dir) {
  const auto keeper = std::make_shared<SwitchKeeper>(service, std::move(state_dir));
  OwnerActions actions;
  actions.set_mode = [keeper](const std::string& mode) { return keeper->set_mode(mode); };
  actions.set_app = [keeper](const AppSwitch& app) { return keeper->set_app(app); };
  return actions;
}

}  // namespace

std::unique_ptr<ControlServer> start_control(const Settings& settings, std::string_view version,
                                             Service& service, Log& log) {
  const std::string& name = settings.service.control_socket;
  const ControlFeed* feed = service.feed();
  if (name == "none" || feed == nullptr) {
    return nullptr;
  }
  auto for_history = StateDir::open(settings.service.state_dir);
  auto for_switches = StateDir::open(settings.service.state_dir);
  if (!for_history || !for_switches) {
    const Error& error = for_history ? for_switches.error() : for_history.error();
    log.warning("no control socket: " + error.to_string());
    return nullptr;
  }
  ControlDesk desk({std::string(version), monotonic_now()}, *feed, log.lines(),
                   UsageHistory::load(*std::move(for_history)),
                   actions_of(service, *std::move(for_switches)));
  if (auto tree = CpufreqTree::open(settings.service.cpu_root)) {
    desk.read_frequencies_from(*std::move(tree));
  }
  auto server = ControlServer::start(name, feed->usage_fd(), std::move(desk));
  if (!server) {
    log.warning("no control socket: " + server.error().to_string());
    return nullptr;
  }
  log.info("control socket @" + std::string(plain_socket_name(name)));
  return *std::move(server);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "governor/start_control.h"

#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "governor/state_dir.h"

namespace framegov {

std::unique_ptr<ControlServer> start_control(const Settings& settings, std::string_view version,
                                             Service& service, Log& log) {
  const std::string& name = settings.service.control_socket;
  const ControlFeed* feed = service.feed();
  if (name == "none" || feed == nullptr) {
    return nullptr;
  }
  auto state_dir = StateDir::open(settings.service.state_dir);
  if (!state_dir) {
    log.warning("no control socket: " + state_dir.error().to_string());
    return nullptr;
  }
  ControlDesk desk({std::string(version), settings.policy, monotonic_now()}, *feed, log.lines(),
                   UsageHistory::load(*std::move(state_dir)), {});
  if (auto tree = CpufreqTree::open(settings.service.cpu_root)) {
    desk.read_frequencies_from(*std::move(tree));
  }
  auto server = ControlServer::start(name, feed->usage_fd(), std::move(desk));
  if (!server) {
    log.warning("no control socket: " + server.error().to_string());
    return nullptr;
  }
  log.info("control socket @" + name);
  return *std::move(server);
}

}  // namespace framegov

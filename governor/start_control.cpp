// SPDX-License-Identifier: Apache-2.0
#include "governor/start_control.h"

#include <string>
#include <utility>

#include "base/monotonic_clock.h"
#include "governor/state_dir.h"

namespace framegov {

namespace {

/// How long a client waits for the loop. It is between two steps nearly always.
constexpr Duration kPatience = std::chrono::seconds{2};

/// The service's own functions are the loop's to call.
OwnerActions actions_of(Service& service) {
  OwnerActions actions;
  actions.set_mode = [&service](const std::string& mode) -> Result<std::string> {
    // Shared, because the loop may get to the call when nobody waits for it any more.
    const auto held = std::make_shared<std::string>();
    const Status made = service.calls().make(
        [&service, mode, held] {
          Status set = service.set_mode(mode);
          *held = service.mode();
          return set;
        },
        kPatience);
    return made ? Result<std::string>(*held) : tl::unexpected(made.error());
  };
  actions.set_app = [&service](const std::string& app, std::optional<bool> on) {
    return service.calls().make([&service, app, on] { return service.set_app(app, on); },
                                kPatience);
  };
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
  auto state_dir = StateDir::open(settings.service.state_dir);
  if (!state_dir) {
    log.warning("no control socket: " + state_dir.error().to_string());
    return nullptr;
  }
  ControlDesk desk({std::string(version), monotonic_now()}, *feed, log.lines(),
                   UsageHistory::load(*std::move(state_dir)), actions_of(service));
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

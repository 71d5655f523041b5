// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/switch_keeper.h"

#include <memory>
#include <utility>

namespace framegov {

namespace {

/// How long a client waits for the loop. It is between two steps nearly always.
constexpr Duration kLoopPatience = std::chrono::seconds{2};

/// What goes to the loop and comes back. Shared, because the loop may get to a call when nobody
/// waits for it any more.
struct Change {
  OwnerSwitches switches;
  std::string mode;
};

}  // namespace

Result<std::string> SwitchKeeper::set_mode(const std::string& mode) {
  return change([this, mode] { return service_.with_mode(mode); }, Keep::kOnDisk);
}

Result<std::string> SwitchKeeper::set_app_mode(const std::string& package,
                                               const std::string& mode) {
  return change([this, package, mode] { return service_.with_app_mode(package, mode); },
                Keep::kOnDisk, package);
}

Result<std::string> SwitchKeeper::app_mode(const std::string& package) {
  const auto mode = std::make_shared<std::string>();
  const Status asked = service_.calls().make(
      [this, package, mode]() -> Status {
        *mode = service_.mode(package);
        return {};
      },
      kLoopPatience);
  FRAMEGOV_TRY_STATUS(asked);
  return *mode;
}

Status SwitchKeeper::set_pause(const std::optional<Pause>& pause) {
  return change([this, pause] { return service_.with_pause(pause); }, Keep::kOnDisk)
      .map([](auto&&) {});
}

Status SwitchKeeper::set_app(const AppSwitch& app) {
  return change([this, app] { return service_.with_app(app); },
                app.held ? Keep::kInMemory : Keep::kOnDisk)
      .map([](auto&&) {});
}

Result<std::string> SwitchKeeper::change(const Proposal& proposal, Keep keep,
                                         const std::string& package) {
  const auto change = std::make_shared<Change>();
  const Status proposed = service_.calls().make(
      [proposal, change] {
        return proposal().map([&](OwnerSwitches&& next) { change->switches = std::move(next); });
      },
      kLoopPatience);
  FRAMEGOV_TRY_STATUS(proposed);
  FRAMEGOV_TRY_STATUS(keep == Keep::kOnDisk ? change->switches.save(dir_) : Status{});
  const Status held = service_.calls().make(
      [this, change, package]() -> Status {
        service_.hold(std::move(change->switches));
        change->mode = service_.mode(package);
        return {};
      },
      kLoopPatience);
  FRAMEGOV_TRY_STATUS(held);
  return change->mode;
}

}  // namespace framegov

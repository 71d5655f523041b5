// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "governor/profiles/owner_switches.h"
#include "governor/service/service.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// Changes the owner's switches from the control thread. The loop says what they would be, this
/// thread writes them to the disk, which may take long, and only then the loop holds them: a switch
/// that cannot be saved does not change, and the loop never waits for a disk. One thread, the only
/// one that changes them.
class SwitchKeeper {
 public:
  /// The service must outlive it.
  SwitchKeeper(Service& service, StateDir dir) : service_(service), dir_(std::move(dir)) {}

  /// Empty: as the configuration says. The mode that holds then. Error: there is no such mode, it
  /// cannot be saved, or the loop does not answer.
  [[nodiscard]] Result<std::string> set_mode(const std::string& mode);
  /// The same for one app; empty: as its profile says.
  [[nodiscard]] Result<std::string> set_app_mode(const std::string& package,
                                                 const std::string& mode);
  /// The mode that holds for an app. Error: the loop does not answer.
  [[nodiscard]] Result<std::string> app_mode(const std::string& package);
  /// Stops governing, or lets it go on. Error: as above.
  [[nodiscard]] Status set_pause(const std::optional<Pause>& pause);
  /// Error: as above.
  [[nodiscard]] Status set_app(const AppSwitch& app);

 private:
  using Proposal = std::function<Result<OwnerSwitches>()>;

  enum class Keep : std::uint8_t { kInMemory, kOnDisk };

  [[nodiscard]] Result<std::string> change(const Proposal& proposal, Keep keep,
                                           const std::string& package = {});

  Service& service_;
  StateDir dir_;
};

}  // namespace framegov

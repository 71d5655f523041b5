// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// One app, switched by the owner.
struct AppSwitch {
  std::string package;
  std::optional<bool> on;  ///< nothing: as its profile says
  /// For as long as whoever asks is there: above the switch for good, and not saved.
  bool held = false;
};

/// What the owner has switched by hand: the mode, and apps on or off. A plain value: the loop holds
/// one, and whoever changes it makes another (governor/startup/switch_keeper.h).
class OwnerSwitches {
 public:
  /// In the state folder, so that they outlast restarts and reboots.
  static constexpr const char* kFile = "switches";
  static constexpr std::size_t kMostApps = 256;

  /// What the file in `dir` says. One that cannot be read or understood is one warning in the log
  /// and counts as empty; the next change replaces it.
  [[nodiscard]] static OwnerSwitches load(const StateDir& dir, Log& log);
  /// On the disk when it returns: it may wait long. After a power cut there are the old ones or the
  /// new ones.
  [[nodiscard]] Status save(const StateDir& dir) const;

  /// Empty: not chosen by hand.
  [[nodiscard]] const std::string& mode() const { return mode_; }
  /// As held, else as switched for good; nothing: as its profile says.
  [[nodiscard]] std::optional<bool> app(std::string_view package) const;

  /// These with another mode; empty: no longer chosen by hand. Error: no word that can be a mode's
  /// name. Whether there is such a mode is for the caller to know.
  [[nodiscard]] Result<OwnerSwitches> with_mode(std::string_view name) const;
  /// These with an app switched. Error: no word that can be a package's name, or more than
  /// kMostApps.
  [[nodiscard]] Result<OwnerSwitches> with_app(const AppSwitch& app) const;

 private:
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static Result<OwnerSwitches> parse(std::string_view text);

  using Apps = std::map<std::string, bool, std::less<>>;

  std::string mode_;
  Apps apps_;
  Apps held_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "governor/log/log.h"
#include "governor/state/pause.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// One app, switched by the owner.
struct AppSwitch {
  std::string package;
  std::optional<bool> on;  ///< nothing: as its profile says
  /// For as long as whoever asks is there: above the switch for good, and not saved.
  bool held = false;
};

/// What the owner has switched by hand: governing as a whole, the mode, and apps: on or off, and
/// their own mode. A plain value: the loop holds one, and whoever changes it makes another
/// (governor/startup/switch_keeper.h).
class OwnerSwitches {
 public:
  /// In the state folder, so that they outlast restarts and reboots.
  static constexpr const char* kFile = "switches";
  static constexpr std::size_t kMostApps = 256;

  /// What the file in `dir` says. One that cannot be read or understood is one warning in the log
  /// and counts as empty; the next change replaces it.
  [[nodiscard]] static OwnerSwitches load(const StateDir& dir, Log& log);
  /// The same for whoever has no log. Error: it cannot be read or understood.
  [[nodiscard]] static Result<OwnerSwitches> read(const StateDir& dir);
  [[nodiscard]] const std::map<std::string, bool, std::less<>>& apps() const { return apps_; }
  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& app_modes() const {
    return app_modes_;
  }
  /// On the disk when it returns: it may wait long. After a power cut there are the old ones or the
  /// new ones.
  [[nodiscard]] Status save(const StateDir& dir) const;

  /// Empty: not chosen by hand.
  [[nodiscard]] const std::string& mode() const { return mode_; }
  /// Nothing: governing goes on.
  [[nodiscard]] const std::optional<Pause>& pause() const { return pause_; }
  /// The mode chosen for this app alone; empty: none.
  [[nodiscard]] std::string_view app_mode(std::string_view package) const;
  /// As held, else as switched for good; nothing: as its profile says.
  [[nodiscard]] std::optional<bool> app(std::string_view package) const;

  /// These with another mode; empty: no longer chosen by hand. Error: no word that can be a mode's
  /// name. Whether there is such a mode is for the caller to know.
  [[nodiscard]] Result<OwnerSwitches> with_mode(std::string_view name) const;
  /// These with an app's own mode; empty: none. Error: as above, and as with_app().
  [[nodiscard]] Result<OwnerSwitches> with_app_mode(const std::string& package,
                                                    std::string_view mode) const;
  /// These with governing paused, or resumed. Error: the pause ends before it begins.
  [[nodiscard]] Result<OwnerSwitches> with_pause(const std::optional<Pause>& pause) const;
  /// These with an app switched. Error: no word that can be a package's name, or more than
  /// kMostApps.
  [[nodiscard]] Result<OwnerSwitches> with_app(const AppSwitch& app) const;

 private:
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] static Result<OwnerSwitches> parse(std::string_view text);

  using Apps = std::map<std::string, bool, std::less<>>;
  using AppModes = std::map<std::string, std::string, std::less<>>;

  [[nodiscard]] bool take_entry(std::string_view line);

  std::optional<Pause> pause_;
  std::string mode_;
  AppModes app_modes_;
  Apps apps_;
  Apps held_;
};

}  // namespace framegov

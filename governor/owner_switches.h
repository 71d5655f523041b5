// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "governor/log.h"
#include "governor/state_dir.h"

namespace framegov {

/// What the owner has switched by hand: the mode, and apps on or off. Kept in the state folder, so
/// that it outlasts restarts and reboots. A switch that cannot be saved does not change. One
/// thread.
class OwnerSwitches {
 public:
  static constexpr const char* kFile = "switches";
  static constexpr std::size_t kMostApps = 256;

  /// What the file in `dir` says. One that cannot be read or understood is one warning in the log
  /// and counts as empty; the next change replaces it.
  [[nodiscard]] static OwnerSwitches load(StateDir dir, Log& log);

  /// Empty: not chosen by hand.
  [[nodiscard]] const std::string& mode() const { return state_.mode; }
  /// Nothing: as its profile says.
  [[nodiscard]] std::optional<bool> app(std::string_view package) const;

  /// Empty: no longer chosen by hand. Error: no word that can be a mode's name, or it cannot be
  /// saved. Whether there is such a mode is for the caller to know.
  [[nodiscard]] Status set_mode(std::string_view name);
  /// Nothing: as its profile says again. Error: no word that can be a package's name, more than
  /// kMostApps, or it cannot be saved.
  [[nodiscard]] Status set_app(std::string_view package, std::optional<bool> on);

 private:
  struct State {
    std::string mode;
    std::map<std::string, bool, std::less<>> apps;
  };

  explicit OwnerSwitches(StateDir dir) : dir_(std::move(dir)) {}

  [[nodiscard]] static std::string to_text(const State& state);
  [[nodiscard]] static Result<State> parse(std::string_view text);
  [[nodiscard]] Status save(State state);

  StateDir dir_;
  State state_;
};

}  // namespace framegov

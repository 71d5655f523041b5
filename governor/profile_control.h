// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "governor/owner_switches.h"

namespace framegov {

/// What holds for which app right now: the owner's switches over the configuration. One thread.
class ProfileControl {
 public:
  explicit ProfileControl(OwnerSwitches switches) : switches_(std::move(switches)) {}

  /// The mode that holds.
  [[nodiscard]] std::string mode() const;
  /// The modes there are.
  [[nodiscard]] std::vector<std::string> modes() const;
  /// Is `package` governed?
  [[nodiscard]] bool enabled(std::string_view package) const;

  /// Chooses the mode by hand; empty: as the configuration says. Error: there is no such mode (the
  /// hint names those there are), or it cannot be saved.
  [[nodiscard]] Status set_mode(std::string_view name);
  /// Switches an app by hand; nothing: as its profile says. Error: it cannot be saved.
  [[nodiscard]] Status set_app(std::string_view package, std::optional<bool> on);

 private:
  OwnerSwitches switches_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "governor/engines/found_engines.h"

namespace framegov {

/// Name of the file, in the state folder, of what `framegov engine` has switched off.
inline constexpr const char* kSavedEnginesFile = "saved_engines";

/// A switch as it stood before framegov's first write to it; it was on.
struct SavedSwitch {
  const FrameEngine* engine{};
  EngineSwitch before;
  bool operator==(const SavedSwitch&) const = default;
};

/// All that is to be put back. The boot id tells a file from before a reboot, which has itself put
/// every node back.
struct SavedEngines {
  std::string boot_id;
  std::vector<SavedSwitch> switches;

  [[nodiscard]] bool has(std::string_view path) const;
  [[nodiscard]] bool has(const FrameEngine& engine) const;
};

/// The file's text (docs/engines.md has the format).
[[nodiscard]] std::string to_text(const SavedEngines& engines);

/// The inverse. Error (kBadInput) naming the line: another version, a malformed or missing line, an
/// engine that is not known, a node that is no switch of it (is_switch()) or stands there twice.
[[nodiscard]] Result<SavedEngines> parse_saved_engines(std::string_view text);

}  // namespace framegov

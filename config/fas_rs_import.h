// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace framegov {

/// The games.toml of fas-rs as a file of profiles (YAML), with comments for what has no
/// counterpart.
///
/// Its games become entries of kind `game` with its target rates. A mode's margin_fps says how many
/// frames of 60 may be missing: its share of the frames is that mode's `eps` for games. `name`
/// stands for the file in messages. Error: every problem found first, as "file:line: what".
[[nodiscard]] Result<std::string> profiles_from_fas_rs(std::string_view toml,
                                                       const std::string& name);

}  // namespace framegov

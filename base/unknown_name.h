// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace framegov {

using Names = std::vector<std::string_view>;

/// "a, b, c".
[[nodiscard]] std::string list_of(const Names& names);

/// Of `known`, the name nearest to `name` by edit distance, if it may be a slip of the pen.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view name, const Names& known);

/// "; did you mean 'PREFIXmpc'?"; nothing where no name is near.
[[nodiscard]] std::string did_you_mean(std::string_view name, const Names& known,
                                       std::string_view separator = "; ",
                                       std::string_view prefix = {});

/// "no policy is called 'mcp': did you mean 'mpc'?"
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view name,
                                       const Names& known);

/// The error for that. Its hint lists what there is, and then says `more`.
[[nodiscard]] tl::unexpected<Error> fail_unknown(ExitCode code, std::string_view what,
                                                 std::string_view name, const Names& known,
                                                 std::string_view more = {});

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace framegov {

/// "0 1 2 3", "0-3", "0-1,4" as a mask. Nothing when it is malformed, empty or names CPU 64 or
/// above.
[[nodiscard]] std::optional<std::uint64_t> parse_cpu_list(std::string_view text);

/// A mask as the kernel writes it: "0-3,6".
[[nodiscard]] std::string cpu_list(std::uint64_t cpus);

}  // namespace framegov

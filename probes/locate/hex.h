// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "probes/locate/byte_view.h"

namespace framegov {

/// "0x26868c"
[[nodiscard]] std::string hex_number(std::uint64_t number);

/// Two lower-case digits for each byte.
[[nodiscard]] std::string hex_bytes(ByteView bytes);

/// `text` in quotes, cut at 40 characters and with '?' for what a terminal should not be sent.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// SHA-1 of `bytes`, 40 hex digits.
[[nodiscard]] std::string sha1_hex(ByteView bytes);

}  // namespace framegov

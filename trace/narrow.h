// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace framegov {

// A varint of the wire comes as 64 bits; these give the field the type its message declares.

[[nodiscard]] constexpr std::uint32_t u32(std::uint64_t varint) {
  return static_cast<std::uint32_t>(varint);
}
[[nodiscard]] constexpr std::int32_t i32(std::uint64_t varint) {
  return static_cast<std::int32_t>(varint);
}
[[nodiscard]] constexpr std::int64_t i64(std::uint64_t varint) {
  return static_cast<std::int64_t>(varint);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace framegov::test {

/// What a TraceWriter writes goes to the end of `bytes`, which must outlive it.
inline auto append_to(std::string& bytes) {
  return [&bytes](std::string_view packet) {
    bytes.append(packet);
    return true;
  };
}

}  // namespace framegov::test

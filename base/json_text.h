// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace framegov {

/// `json` (nlohmann's, of any order of keys) as text: on one line, or indented for people to read.
/// Names and paths are bytes and JSON text is UTF-8: what is none is replaced, not thrown at.
template <class Json>
[[nodiscard]] std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
template <class Json>
[[nodiscard]] std::string json_text(const Json& json) {
  constexpr int kIndent = 2;
  return json.dump(kIndent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace framegov::web {

// What a request may do. Pure; docs/webui.md tells the reasons.

/// 128 random bits in hex. Error: the kernel gives none.
[[nodiscard]] Result<std::string> make_token();

/// Compares in a time that does not tell how much is right.
[[nodiscard]] bool same_token(std::string_view a, std::string_view b);

/// Is the Host header this server's own address? Other names may have been made to point here by a
/// page somewhere else (DNS rebinding).
[[nodiscard]] bool own_host(std::string_view host, int port);

/// The words of a command out of a request's JSON array. Error: not such an array, or no command of
/// the page's.
[[nodiscard]] Result<std::vector<std::string>> allowed_words(std::string_view body);

/// The file below the page's folder that a path of an address names; nothing for one that could
/// lead elsewhere.
[[nodiscard]] std::optional<std::string> file_of(std::string_view path);

[[nodiscard]] const char* content_type(std::string_view file);

}  // namespace framegov::web

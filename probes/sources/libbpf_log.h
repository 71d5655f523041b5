// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace framegov {

enum class LibbpfLevel : std::uint8_t { kWarning, kInfo, kDebug };

/// One line without its newline.
using LibbpfLog = std::function<void(LibbpfLevel level, std::string_view line)>;

/// Where libbpf's own messages go, for the whole program (libbpf has one place for them); an empty
/// function (as before the first call) drops them. To be called before sources are opened, not
/// while they work.
void set_libbpf_log(LibbpfLog log);

/// Takes libbpf's messages off standard error. Sources do this when they are opened.
void capture_libbpf_log();

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace framegov {

/// What this process costs and may do: {"pid", "uid", "rss_kib", "peak_rss_kib", "cpu_s",
/// "threads", "capabilities", "no_new_privs", "seccomp", "files_confined"}. What cannot be read is
/// left out.
[[nodiscard]] nlohmann::json process_facts();

}  // namespace framegov

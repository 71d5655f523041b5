// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace framegov {

/// Who keeps a file below `folder` open for writing: "thermal-engine (process 812), perfd (process
/// 901)", this process left out, at most four; empty when nobody does. A program that opens, writes
/// and closes is not caught. Looks at every process once: not for the loop's daily work.
[[nodiscard]] std::string holders_of(const std::filesystem::path& proc_root,
                                     const std::filesystem::path& folder);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"

namespace framegov {

/// What /proc tells of processes. `root` is /proc, or a tree of a test.
class ProcessInfo {
 public:
  explicit ProcessInfo(std::filesystem::path root) : root_(std::move(root)) {}

  /// The app's package: the first argument of the command line up to ':' ("com.a.b:service" is
  /// com.a.b). Empty for a process that is gone, a kernel thread, or one that the zygote has not
  /// named yet (starting() is true for the last).
  [[nodiscard]] std::string package(std::int32_t pid) const;
  [[nodiscard]] bool starting(std::int32_t pid) const;

  [[nodiscard]] std::optional<int> oom_score_adj(std::int32_t pid) const;

  /// The process that a thread belongs to; nothing when it is gone.
  [[nodiscard]] std::optional<std::int32_t> process_of(std::int32_t tid) const;

  /// Processes whose package is one of `packages`. Looks at every process: not for the loop.
  [[nodiscard]] std::vector<std::int32_t> find(const std::vector<std::string>& packages) const;

 private:
  [[nodiscard]] std::string read(std::int32_t pid, const char* file) const;

  std::filesystem::path root_;
};

/// A descriptor that becomes readable when the process ends (pidfd_open, Linux 5.3 and later);
/// empty when the process is gone or the kernel has none.
[[nodiscard]] UniqueFd open_pidfd(std::int32_t pid);

}  // namespace framegov

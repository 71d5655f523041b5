// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/result.h"

namespace framegov {

/// Reads words out of other processes, by process_vm_readv, or by /proc/PID/mem where the kernel is
/// built without that call (CONFIG_CROSS_MEMORY_ATTACH). Both ask for the right to trace.
class ProcessMemory {
 public:
  /// Tries both on this process. Error (kUnsupported): neither works.
  [[nodiscard]] static Result<ProcessMemory> open(const std::filesystem::path& proc);

  /// Words at `address` of the process that thread `tid` belongs to. False when they cannot be
  /// read.
  [[nodiscard]] bool read(std::int32_t tid, std::uint64_t address,
                          std::span<std::int64_t> words) const;

  /// The kernel has no process_vm_readv: each reading opens a file.
  [[nodiscard]] bool through_files() const { return through_files_; }

 private:
  explicit ProcessMemory(std::filesystem::path proc) : proc_(std::move(proc)) {}

  std::filesystem::path proc_;
  bool through_files_ = false;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"

namespace framegov {

/// Reads words out of other processes, by process_vm_readv, or by /proc/PID/mem where the kernel is
/// built without that call (CONFIG_CROSS_MEMORY_ATTACH). Both ask for the right to trace.
///
/// A page may be one that its owner lets nobody have (userfaultfd, a file that the app serves
/// itself): a reading of it ends when the owner does. Threads of this object therefore read, and
/// are waited for kLongest. For one thread.
class ProcessMemory {
 public:
  /// A page that has to come from a disk comes sooner, most of the time.
  static constexpr std::chrono::milliseconds kLongest{20};
  /// So many readings may wait for ever; while they do nothing is read.
  static constexpr std::size_t kReaders = 4;
  static constexpr std::size_t kMostWords = 64;

  /// Tries both on this process. Error (kUnsupported): neither works.
  [[nodiscard]] static Result<ProcessMemory> open(const std::filesystem::path& proc);
  ProcessMemory(ProcessMemory&&) noexcept;
  ProcessMemory& operator=(ProcessMemory&&) noexcept;
  ~ProcessMemory();

  /// Words, kMostWords at most, at `address` of the process that thread `tid` belongs to. False
  /// when they cannot be read, or not now: a reading for that thread still waits, or too many do.
  /// The first reading starts a thread.
  [[nodiscard]] bool read(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words);

  /// The kernel has no process_vm_readv: each reading opens a file.
  [[nodiscard]] bool through_files() const { return through_files_; }

 private:
  class Reader;

  explicit ProcessMemory(std::filesystem::path proc);
  /// Null: none is free, or one waits for `tid`.
  [[nodiscard]] Reader* reader_for(std::int32_t tid);

  std::filesystem::path proc_;
  bool through_files_ = false;
  std::array<std::unique_ptr<Reader>, kReaders> readers_;  ///< null: not needed yet
};

}  // namespace framegov

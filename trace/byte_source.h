// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace framegov {

/// Bytes of a file, from front to back, through a window that grows on demand. A plain file is
/// mapped and the window is all of what is left; a gzip file, or what `atrace -z` writes, is
/// inflated piece by piece, so that memory stays at the largest window asked for.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// What can be read without asking for more. Valid until require() or consume().
  [[nodiscard]] virtual std::string_view window() const = 0;

  /// Tries to grow the window to `size` bytes. It stays smaller at the end of the file only.
  [[nodiscard]] virtual Status require(std::size_t size) = 0;

  /// Drops the first `size` bytes of the window.
  virtual void consume(std::size_t size) = 0;

  /// Position of the window's first byte, counted in uncompressed bytes.
  [[nodiscard]] virtual std::uint64_t offset() const = 0;

  /// Part of the file that has been read, 0 to 1, for progress.
  [[nodiscard]] virtual double progress() const = 0;
};

/// Opens a plain or compressed file. Fails on a file that is not there, is empty or is no regular
/// file.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_bytes(const std::filesystem::path& path);

/// The same for bytes in memory, which must outlive the source.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> bytes_in_memory(std::string_view bytes);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace framegov {

/// A trace file that does not grow beyond a size. Writes through a buffer; used from one thread.
class TraceFile {
 public:
  /// Error: the file cannot be made. An existing one is replaced; a symbolic link is refused.
  [[nodiscard]] static Result<TraceFile> create(const std::filesystem::path& path,
                                                std::uint64_t max_bytes);

  /// False when the packet does not fit any more or the disk refuses it.
  [[nodiscard]] bool write(std::string_view packet);

  /// Error: what was written is not all on the disk.
  [[nodiscard]] Status flush();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t max_bytes_ = 0;
  std::uint64_t bytes_ = 0;
};

/// The packets of the last seconds, in memory, bounded by age and by bytes; and those that every
/// trace begins with.
class FlightBuffer {
 public:
  FlightBuffer(Duration keep, std::size_t max_bytes) : keep_(keep), max_bytes_(max_bytes) {}

  /// Packets without which the others mean nothing (tracks, the device): kept for good.
  void add_header(std::string_view packet) { header_.append(packet); }
  void add(std::string_view packet, Instant now);

  /// Writes the header and what is kept to a new file. Error: the file cannot be written.
  [[nodiscard]] Status save(const std::filesystem::path& path) const;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  struct Packet {
    Instant at;
    std::string bytes;
  };
  Duration keep_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::string header_;
  std::deque<Packet> packets_;
};

}  // namespace framegov

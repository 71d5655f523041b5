// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "trace/byte_source.h"

namespace framegov {

/// Largest TracePacket that is believed. Perfetto's own stay below 1 MiB.
inline constexpr std::size_t kMaxPacketSize = std::size_t{256} << 20U;

/// Cuts a Perfetto trace into its packets.
class PacketReader {
 public:
  /// `source` must outlive the reader.
  explicit PacketReader(ByteSource& source) : source_(source) {}

  /// The next packet's bytes, valid until the next call; nothing at the end. Fails with kBadInput
  /// and the offset where the trace is cut off or damaged.
  [[nodiscard]] Result<std::optional<std::string_view>> next();

  /// Where the last packet began, in uncompressed bytes.
  [[nodiscard]] std::uint64_t packet_offset() const { return packet_offset_; }

 private:
  ByteSource& source_;
  std::size_t pending_ = 0;  ///< bytes of the last packet, still to be consumed
  std::uint64_t packet_offset_ = 0;
};

}  // namespace framegov

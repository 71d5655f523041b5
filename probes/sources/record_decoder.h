// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "probes/sources/frame_assembler.h"

namespace framegov {

/// Records of the BPF programs (probes/bpf/wire.h), whatever carried them, into the frame assembly.
class RecordDecoder {
 public:
  explicit RecordDecoder(FrameAssembler& assembler) : assembler_(assembler) {}

  /// One record, aligned to 8 bytes. `batch` has room for FrameAssembler::kMaxEvents. What is no
  /// record of this version is counted and left out.
  void take(const void* data, std::size_t size, FrameBatch& batch);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
  /// Time of the newest record.
  [[nodiscard]] Instant newest() const { return newest_; }

 private:
  FrameAssembler& assembler_;
  Instant newest_;
  std::uint64_t records_ = 0;
  std::uint64_t malformed_ = 0;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "probes/sources/record_decoder.h"

namespace framegov {

/// Takes the BPF programs' records out of the kernel and hands them to the decoder, in order of
/// time. What the two transports differ in.
class RecordReader {
 public:
  RecordReader() = default;
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  virtual ~RecordReader() = default;

  /// Readable while records wait, those read but not yet handed on included.
  [[nodiscard]] virtual int fd() const = 0;
  /// Hands records on until none waits or `batch` is short of room. True when more wait.
  [[nodiscard]] virtual Result<bool> read(RecordDecoder& decoder, FrameBatch& batch) = 0;
  /// Records that the kernel says it dropped, as far as this side of the transport knows.
  [[nodiscard]] virtual std::uint64_t lost() const = 0;
};

/// The BPF ring buffer behind `map_fd`: one for all CPUs.
[[nodiscard]] Result<std::unique_ptr<RecordReader>> make_ring_reader(int map_fd);

/// The perf event arrays behind `waking_map` and `quiet_map`: of each a buffer of
/// `bytes_per_buffer` (a power of two, at least a page) for each CPU, merged here. Every record of
/// the first makes fd() readable; of the second only half a buffer of them does.
[[nodiscard]] Result<std::unique_ptr<RecordReader>> make_perf_reader(int waking_map, int quiet_map,
                                                                     std::size_t bytes_per_buffer);

[[nodiscard]] inline bool has_room(const FrameBatch& batch) {
  return batch.room() >= FrameAssembler::kMaxEvents;
}

}  // namespace framegov

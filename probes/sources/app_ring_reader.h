// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/sources/app_ring.h"
#include "probes/sources/record_decoder.h"

namespace framegov {

/// The service's side of an app's ring (app_ring.h), in which everything may be forged.
///
/// The memory is never mapped: read() copies each record once, by pread(), and looks at the copy.
/// So the app can neither change what has been checked nor take pages away under the service. Of
/// the app's numbers only the distance to its head counts, and at most all slots.
class AppRingReader {
 public:
  /// `pid`: whose it is; records of others are refused. What waits in it is skipped, and nothing
  /// more is written before resume(). Error (kBadInput): no memory of a ring's size that is sealed
  /// against another one.
  [[nodiscard]] static Result<AppRingReader> open(UniqueFd memory, std::int32_t pid);

  [[nodiscard]] std::int32_t pid() const { return pid_; }

  /// From now on the app writes, what it has written before is skipped; or it does not write.
  [[nodiscard]] Status resume();
  [[nodiscard]] Status pause();

  /// Hands records on until none waits, `batch` is short of room, or all slots have been seen
  /// once. False: none waits, and the next one wakes. `clock`: no record can be later than it says
  /// once the records are known. Error: the memory cannot be read or written any more.
  [[nodiscard]] Result<bool> read(RecordDecoder& decoder, FrameBatch& batch,
                                  const std::function<Instant()>& clock);

  /// Records taken out, of which some were rejected: another process's, from the future, of a kind
  /// that no ring has, or more than there are slots.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t rejected() const { return rejected_; }
  /// Records that the decoder was given.
  [[nodiscard]] std::uint64_t handed_on() const { return handed_on_; }
  /// Records for which there was no room, as the app says.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  AppRingReader(UniqueFd memory, std::int32_t pid) : memory_(std::move(memory)), pid_(pid) {}

  [[nodiscard]] Status look();
  [[nodiscard]] Status copy(void* to, std::size_t size, std::size_t offset) const;
  [[nodiscard]] Status tell(AppRingState state) const;
  void take(const AppRingSlot& slot, RecordDecoder& decoder, FrameBatch& batch, Instant now);

  UniqueFd memory_;
  std::int32_t pid_;
  std::uint32_t head_ = 0;  ///< as last read
  std::uint32_t tail_ = 0;
  std::uint32_t lost_seen_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t rejected_ = 0;
  std::uint64_t handed_on_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace framegov

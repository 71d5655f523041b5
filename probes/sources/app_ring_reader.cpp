// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/app_ring_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "probes/sources/frame_info.h"
#include "probes/sources/record_reader.h"

namespace framegov {
namespace {

/// None can take pages away, none can undo the others. Kernels add seals of their own
/// (F_SEAL_EXEC).
constexpr int kRingSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
/// Copied at once.
constexpr std::uint32_t kSlotsAtOnce = 16;

/// Of a record of a kind that apps write; 0 for others.
std::size_t size_of_ring_record(std::uint16_t kind) {
  switch (kind) {
    case WIRE_FRAME_INFO:
      return sizeof(wire_frame_info);
    case WIRE_QUEUE_BUFFER:
      return sizeof(wire_queue_buffer);
    case WIRE_DEQUEUE_BUFFER:
      return sizeof(wire_dequeue_buffer);
    default:
      return 0;
  }
}

}  // namespace

Result<AppRingReader> AppRingReader::open(UniqueFd memory, std::int32_t pid) {
  struct stat found {};
  // Only memory has seals: no file that somebody serves, which could keep a reader waiting.
  const int seals = ::fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kRingSeals) != kRingSeals || ::fstat(memory.get(), &found) != 0 ||
      found.st_size != static_cast<off_t>(kAppRingBytes)) {
    return fail(ExitCode::kBadInput, "process " + std::to_string(pid) +
                                         " hands over something else than an app's sealed ring");
  }
  AppRingReader reader(std::move(memory), pid);
  FRAMEGOV_TRY_STATUS(reader.pause());
  FRAMEGOV_TRY_STATUS(reader.look());
  reader.lost_ = 0;  // before anybody read
  return reader;
}

Status AppRingReader::resume() {
  FRAMEGOV_TRY_STATUS(look());
  tail_ = head_;
  return tell(kAppRingAsleep);
}

Status AppRingReader::pause() { return tell(kAppRingOff); }

Result<bool> AppRingReader::read(RecordDecoder& decoder, FrameBatch& batch,
                                 const std::function<Instant()>& clock) {
  FRAMEGOV_TRY_STATUS(look());
  const Instant now = clock();
  if (head_ - tail_ > kAppRingSlots) {
    ++rejected_;
    tail_ = head_;
  }
  std::array<AppRingSlot, kSlotsAtOnce> slots;
  while (head_ != tail_ && has_room(batch)) {
    const std::uint32_t first = tail_ % kAppRingSlots;
    const std::uint32_t count = std::min({head_ - tail_, kSlotsAtOnce, kAppRingSlots - first});
    FRAMEGOV_TRY_STATUS(copy(slots.data(), count * sizeof(AppRingSlot),
                             offsetof(AppRing, slots) + first * sizeof(AppRingSlot)));
    for (std::uint32_t i = 0; i < count && has_room(batch); ++i, ++tail_) {
      take(slots.at(i), decoder, batch, now);
    }
  }
  if (head_ != tail_) {
    FRAMEGOV_TRY_STATUS(tell(kAppRingAwake));
    return true;
  }
  FRAMEGOV_TRY_STATUS(tell(kAppRingAsleep));
  FRAMEGOV_TRY_STATUS(look());  // what came before the app could know
  return head_ != tail_;
}

void AppRingReader::take(const AppRingSlot& slot, RecordDecoder& decoder, FrameBatch& batch,
                         Instant now) {
  ++taken_;
  wire_header header;
  std::memcpy(&header, slot.bytes, sizeof header);
  const std::size_t size = size_of_ring_record(header.kind);
  const Instant at = instant_from_ns(static_cast<std::int64_t>(header.time_ns));
  if (size == 0 || header.version != WIRE_VERSION || header.tgid != static_cast<__u32>(pid_) ||
      at > now || at < now - kMaxFrameAge) {
    ++rejected_;
    return;
  }
  ++handed_on_;
  decoder.take(slot.bytes, size, batch);
}

/// What the app says now; whatever it wrote before is seen by the next copy().
Status AppRingReader::look() {
  std::array<std::uint32_t, 2> app{};
  static_assert(offsetof(AppRing, lost) == offsetof(AppRing, head) + sizeof(std::uint32_t));
  std::atomic_thread_fence(std::memory_order_seq_cst);
  FRAMEGOV_TRY_STATUS(copy(app.data(), sizeof app, offsetof(AppRing, head)));
  std::atomic_thread_fence(std::memory_order_acquire);
  head_ = app[0];
  lost_ += app[1] - lost_seen_;
  lost_seen_ = app[1];
  return {};
}

Status AppRingReader::copy(void* to, std::size_t size, std::size_t offset) const {
  const ssize_t got = ::pread(memory_.get(), to, size, static_cast<off_t>(offset));
  return got == static_cast<ssize_t>(size) ? Status{} : fail_errno(errno, "reading an app's ring");
}

Status AppRingReader::tell(AppRingState state) const {
  const std::array<std::uint32_t, 2> service{tail_, state};
  static_assert(offsetof(AppRing, state) == offsetof(AppRing, tail) + sizeof(std::uint32_t));
  // The copies come before the app may write over what they are of.
  std::atomic_thread_fence(std::memory_order_release);
  const ssize_t put =
      ::pwrite(memory_.get(), service.data(), sizeof service, offsetof(AppRing, tail));
  return put == sizeof service ? Status{} : fail_errno(errno, "writing into an app's ring");
}

}  // namespace framegov

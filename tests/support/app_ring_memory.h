// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>

#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/sources/app_ring.h"

namespace framegov::test {

inline constexpr int kAllRingSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// Memory of an app's ring, mapped as in the app.
class AppRingMemory {
 public:
  explicit AppRingMemory(std::uint64_t bytes = kAppRingBytes, int seals = kAllRingSeals)
      : fd_(::memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    (void)!::ftruncate(fd_.get(), static_cast<off_t>(bytes));
    (void)::fchmod(fd_.get(), S_IRUSR | S_IWUSR);  // else F_SEAL_EXEC seals against writing too
    (void)::fcntl(fd_.get(), F_ADD_SEALS, seals);
    map_ = ::mmap(nullptr, kAppRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  }
  AppRingMemory(const AppRingMemory&) = delete;
  AppRingMemory& operator=(const AppRingMemory&) = delete;
  ~AppRingMemory() { ::munmap(map_, kAppRingBytes); }

  [[nodiscard]] AppRing& ring() { return *static_cast<AppRing*>(map_); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] UniqueFd for_the_service() const {
    return UniqueFd{::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0)};
  }

 private:
  UniqueFd fd_;
  void* map_;
};

/// What the UI thread of `pid` hands over at `at`: a frame of the vsync 6 ms before, in the layout
/// of Android 12.
[[nodiscard]] inline wire_frame_info ui_record(std::int32_t pid, Instant at) {
  wire_frame_info record{};
  record.header.version = WIRE_VERSION;
  record.header.kind = WIRE_FRAME_INFO;
  record.header.tgid = static_cast<__u32>(pid);
  record.header.tid = static_cast<__u32>(pid);
  record.header.time_ns = static_cast<__u64>(to_ns(at));
  record.count = 12;
  record.fields[3] = to_ns(at - std::chrono::milliseconds{6});
  record.fields[9] = to_ns(at + std::chrono::milliseconds{14});
  record.fields[11] = 16'666'667;
  return record;
}

/// RenderThread of `pid` gives a buffer back at `at`.
[[nodiscard]] inline wire_queue_buffer buffer_record(std::int32_t pid, Instant at) {
  wire_queue_buffer record{};
  record.header.version = WIRE_VERSION;
  record.header.kind = WIRE_QUEUE_BUFFER;
  record.header.tgid = static_cast<__u32>(pid);
  record.header.tid = static_cast<__u32>(pid + 1);
  record.header.time_ns = static_cast<__u64>(to_ns(at));
  record.surface = 7;
  record.render_thread = 1;
  return record;
}

}  // namespace framegov::test

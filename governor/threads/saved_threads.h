// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/static_vector.h"
#include "base/thread_plan.h"
#include "governor/threads/thread_kernel.h"

namespace framegov {

/// Name of the file, in the state folder, that outlives a service that was killed.
inline constexpr const char* kSavedThreadsFile = "saved_threads";

/// How a thread stood before the service's first write to it.
struct SavedThread {
  std::int32_t tid{};
  std::uint64_t born{};
  std::uint64_t cpus = kEveryCpu;  ///< to be asked for; all where nobody had asked for less
  UtilClamp clamp;
  constexpr bool operator==(const SavedThread&) const = default;
};

/// All that the service has asked for, of any thread: what stands and is none of these is not ours.
/// Each list is short, as plans have few clusters and OPPs.
struct AskedOfThreads {
  StaticVector<std::uint64_t, 32> cpus;
  StaticVector<std::int16_t, 128> floors;
  StaticVector<std::int16_t, 128> caps;
  constexpr bool operator==(const AskedOfThreads&) const = default;

  [[nodiscard]] bool has(std::uint64_t mask) const;
  [[nodiscard]] bool has(const UtilClamp& clamp) const;
  /// False where there is no room for it.
  [[nodiscard]] bool add(std::uint64_t mask);
  [[nodiscard]] bool add(const UtilClamp& clamp);
};

/// What is to be put back, all of one process. The boot id tells a file from before a reboot, when
/// these threads were others.
struct SavedThreads {
  std::string boot_id;
  std::int32_t pid{};
  /// When the service began with this process, on the clock of `born`. A thread that is younger may
  /// have inherited what was asked of the one that started it.
  std::uint64_t since{};
  AskedOfThreads asked;
  StaticVector<SavedThread, kMaxFrameThreads> threads;
};

/// The file's text (docs/operations.md has the format). No allocation where `text` has room.
void write_text(const SavedThreads& threads, std::string& text);

/// The inverse; newlines after the end do not count. Error (kBadInput) naming the line: another
/// version, a malformed or missing line, a thread twice, values that no kernel has.
[[nodiscard]] Result<SavedThreads> parse_saved_threads(std::string_view text);

}  // namespace framegov

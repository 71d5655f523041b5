// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/frame.h"
#include "base/result.h"
#include "base/static_vector.h"

namespace framegov {

/// What a source hands on: a frame's beginning or a finished frame.
struct FrameEvent {
  enum class Kind : std::uint8_t { kStart, kFrame };
  Kind kind{};
  FrameStart start;  ///< with kStart
  Frame frame;       ///< with kFrame
};

inline constexpr std::size_t kMaxFrameBatch = 64;
using FrameBatch = StaticVector<FrameEvent, kMaxFrameBatch>;

/// Totals since the source was opened. Loss is counted, never hidden.
struct SourceCounters {
  std::uint64_t events{};    ///< records read from the kernel
  std::uint64_t frames{};    ///< frames assembled
  std::uint64_t lost{};      ///< records the kernel had no room for
  std::uint64_t rejected{};  ///< records that cannot be true (times in the future, bad size, ...)
};

/// A stream of frames from the kernel. Used from one thread; the caller waits on fd() and drains.
class FrameSource {
 public:
  FrameSource() = default;
  FrameSource(const FrameSource&) = delete;
  FrameSource& operator=(const FrameSource&) = delete;
  virtual ~FrameSource() = default;

  [[nodiscard]] virtual SourceKind kind() const = 0;

  /// A descriptor for epoll: readable (level-triggered) while records wait.
  [[nodiscard]] virtual int fd() const = 0;

  /// Appends what waits to `batch` until it is full or nothing waits. True when more waits.
  [[nodiscard]] virtual Result<bool> drain(FrameBatch& batch) = 0;

  [[nodiscard]] virtual SourceCounters counters() const = 0;

  /// From now on only these processes' frames are wanted; empty: every process's. A source that
  /// cannot choose hands on all, so the caller looks at each frame's process still.
  virtual void watch_only(std::span<const std::int32_t> pids) { static_cast<void>(pids); }
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
// What a TraceModel is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/import/atrace.h"
#include "trace/trace_sink.h"

namespace framegov::sim {

struct CpuSwitch {
  std::int64_t at{};
  std::int32_t next_tid{};
  std::int32_t prev_tid = -1;

  static constexpr std::int32_t kAfterGap = -2;  ///< as prev_tid: events before it were lost
};

/// A begin or end of an atrace slice.
struct SliceMark {
  std::int64_t at{};
  std::int64_t token{};
  AtraceName name{};
  bool begin{};
};

struct ThreadTrack {
  std::int32_t tid{};
  std::int32_t tgid{};       ///< 0: not known
  std::string comm;          ///< the thread's own name
  std::string command_line;  ///< of processes
  std::uint64_t uid{};       ///< of processes; 0: root, or not known
  std::vector<SliceMark> marks;
};

/// How many buffers of a layer waited in SurfaceFlinger from then on.
struct LayerCount {
  std::int64_t at{};
  std::int64_t layer{};  ///< tells its name from others
  std::int32_t count{};
  std::int32_t tgid{};  ///< who says so
};

/// One FrameTimeline timeline, begun and ended.
struct FrameTimelineSlice {
  std::int64_t begin{};
  std::int64_t end{};  ///< 0: its end is not in the trace
  FrameTimelineKind kind{};
  std::int64_t token{};
  std::int32_t pid{};
  std::uint32_t jank_type{};
  std::uint32_t present_type{};
  bool is_buffer = true;  ///< not a SurfaceControl transaction
};

}  // namespace framegov::sim

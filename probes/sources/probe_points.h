// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "probes/locate/probe_sites.h"

namespace framegov {

/// What a probe's hit means. The names are those of the BPF programs and of the tracefs events.
enum class ProbeRole : std::uint8_t {
  kFrameInfoReturn,
  kFrameInfoCall,
  kQueueBuffer,
  kDequeueBufferReturn,
  kDequeueBufferEnter,
  kFrameStart,
  kFrameFinished,
  kHintSession,
  kHintTarget
};
inline constexpr std::size_t kProbeRoles = 9;

/// "frame_info_call", "queue_buffer", ...
[[nodiscard]] const char* name_of(ProbeRole role);

/// One uprobe to attach.
struct ProbePoint {
  ProbeRole role{};
  std::string library;     ///< path
  std::uint64_t offset{};  ///< in the file
  bool on_return = false;  ///< uretprobe
  bool needed = false;     ///< without it there are no frames; any other can be left out
};

struct ProbePointOptions {
  bool gpu = false;  ///< finishFrame too
  /// The kernel refuses probes on PAC and BTI hints (arm64 before 5.8): they go behind them.
  bool past_hints = false;
  LibrarySites android{};  ///< libandroid's, where apps tell their targets; may have none
};

/// What to attach in one order that every transport follows, and what is left out.
struct ProbePoints {
  /// Ends before beginnings: a beginning whose end is missing would leave its state behind.
  std::vector<ProbePoint> points;
  std::vector<std::string> notes;  ///< what is left out, and why
  bool frame_info = false;         ///< UI records are probed
  bool queue_buffer = false;       ///< buffers are probed
  int destination_register = 4;    ///< of the UI record's buffer at the call
};

/// Of each kind the first site is used; `hwui` or `gui` may have none. Error (kBadInput): neither
/// has a site that tells a frame's end.
[[nodiscard]] Result<ProbePoints> choose_probe_points(const LibrarySites& hwui,
                                                      const LibrarySites& gui,
                                                      const ProbePointOptions& options);

}  // namespace framegov

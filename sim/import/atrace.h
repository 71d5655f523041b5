// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace framegov::sim {

/// What an atrace line does (frameworks/native, libs/tracing; Perfetto's systrace_parser).
enum class AtracePhase : std::uint8_t { kBegin, kEnd, kAsyncBegin, kAsyncEnd, kCounter, kInstant };

/// The slices and counters that importers look for.
enum class AtraceName : std::uint8_t {
  kOther,
  kDoFrame,    ///< Choreographer#doFrame, on a UI thread
  kDrawFrame,  ///< DrawFrame, DrawFrames, on RenderThread
  kOwnDraw,    ///< prepareAndDraw: of RenderThread's own animations, without a doFrame
  kQueueBuffer,
  kDequeueBuffer,
  kBuffer,        ///< within both, where the surface is of the app's own process: its name and slot
  kDeliverInput,  ///< deliverInputEvent
  kVsyncApp,      ///< the counter VSYNC-app of SurfaceFlinger
  kVsyncSf,       ///< its counter VSYNC-sf: of its own vsyncs
  kLayer,         ///< a counter "NAME#0": SurfaceFlinger's of a layer's queued buffers
};

/// As token: the platform says that it has no vsync id.
inline constexpr std::int64_t kNoVsyncId = -1;

struct AtraceLine {
  AtracePhase phase{};
  AtraceName name{};
  std::int32_t tgid{};  ///< 0: not told
  std::int64_t
      token{};  ///< vsync id behind the name of doFrame and DrawFrames; kBuffer's and kLayer's name
  std::int64_t value{};  ///< of counters
};

/// What a slice's or counter's name stands for; `token` takes the vsync id behind it.
[[nodiscard]] AtraceName classify_name(std::string_view name, std::int64_t& token);

/// Reads `B|pid|name`, `E`, `E|pid`, `C|pid|name|value`, `S|F|pid|name|cookie`, `G|H|pid|track|..`,
/// `I|pid|name`, `N|pid|track|name`. Nothing for other text.
[[nodiscard]] std::optional<AtraceLine> parse_atrace(std::string_view text);

}  // namespace framegov::sim

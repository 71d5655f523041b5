// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/frame.h"

namespace framegov {

/// What draws an app's frames.
enum class FrameKind : std::uint8_t {
  kViews,    ///< libhwui: Android's views and Compose
  kFlutter,  ///< Flutter's engine, with Skia or Impeller
  kChrome,   ///< Chrome's compositor, in a browser or a WebView of its own surface
  kUnity,
  kUnreal,
  kVideo,  ///< a decoder: MediaCodec's own buffers
  kGame,   ///< another engine, by buffers of its own surface
};

/// "views", "flutter", "chrome", "unity", "unreal", "video", "game".
[[nodiscard]] std::string_view name_of(FrameKind kind);

/// By the name of the thread that queues buffers of a surface of its own, as the engines call them:
/// Flutter's shell/common/thread_host.cc, Unity's UnityMain and UnityGfx..., Unreal's RHIThread and
/// RenderThread N, Chrome's content/gpu, Android's MediaCodec.
[[nodiscard]] FrameKind frame_kind_of(std::string_view thread);

/// The thread that queued a frame's buffer.
struct BufferThread {
  std::int32_t pid{};
  std::int32_t tid{};        ///< zero: not known
  bool own_surface = false;  ///< not libhwui's
};
[[nodiscard]] constexpr BufferThread buffer_thread_of(const Frame& frame) {
  return {frame.pid, frame.render_tid, frame.has(FramePart::kSurface)};
}

/// Asks `proc` (a tree like /proc) for the thread's name. Nothing: its threads are not known, or
/// are gone.
[[nodiscard]] std::optional<FrameKind> frame_kind_in(const std::filesystem::path& proc,
                                                     const BufferThread& thread);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frame_kind.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/file.h"

namespace framegov {

namespace {

struct KnownThread {
  std::string_view begins;
  FrameKind kind;
};

/// The kernel keeps 15 letters of a name.
constexpr std::array kKnown{
    KnownThread{"1.raster", FrameKind::kFlutter},
    KnownThread{"1.ui", FrameKind::kFlutter},
    KnownThread{"io.flutter.1.ra", FrameKind::kFlutter},
    KnownThread{"Unity", FrameKind::kUnity},
    KnownThread{"RHIThread", FrameKind::kUnreal},
    KnownThread{"GameThread", FrameKind::kUnreal},
    KnownThread{"RenderThread ", FrameKind::kUnreal},  // RenderThread is libhwui's
    KnownThread{"CrGpuMain", FrameKind::kChrome},
    KnownThread{"Chrome_InProcGp", FrameKind::kChrome},
    KnownThread{"VizCompositorTh", FrameKind::kChrome},
    KnownThread{"CodecLooper", FrameKind::kVideo},
    KnownThread{"MediaCodec_loop", FrameKind::kVideo},
};

}  // namespace

std::string_view name_of(FrameKind kind) {
  switch (kind) {
    case FrameKind::kViews:
      return "views";
    case FrameKind::kFlutter:
      return "flutter";
    case FrameKind::kChrome:
      return "chrome";
    case FrameKind::kUnity:
      return "unity";
    case FrameKind::kUnreal:
      return "unreal";
    case FrameKind::kVideo:
      return "video";
    case FrameKind::kGame:
      break;
  }
  return "game";
}

FrameKind frame_kind_of(std::string_view thread) {
  const auto known = std::find_if(kKnown.begin(), kKnown.end(), [&](const KnownThread& each) {
    return thread.starts_with(each.begins);
  });
  return known == kKnown.end() ? FrameKind::kGame : known->kind;
}

std::optional<FrameKind> frame_kind_in(const std::filesystem::path& proc,
                                       const BufferThread& thread) {
  if (thread.pid <= 0) {
    return std::nullopt;
  }
  if (!thread.own_surface) {
    return FrameKind::kViews;
  }
  const std::string name = thread.tid > 0 ? first_line(proc / std::to_string(thread.pid) / "task" /
                                                       std::to_string(thread.tid) / "comm")
                                          : std::string();
  return name.empty() ? std::nullopt : std::optional(frame_kind_of(name));
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace framegov {

enum class Architecture : std::uint8_t { kArm64, kX86_64 };

/// What a probe site is for.
enum class SiteKind : std::uint8_t {
  kFrameInfo,      ///< the GetLongArrayRegion call in syncAndDrawFrame: `call` and `return`
  kQueueBuffer,    ///< a buffer goes to SurfaceFlinger
  kDequeueBuffer,  ///< a buffer is asked for; blocks when none is free
  kFrameStart,     ///< the app receives its vsync
  kFrameFinished,  ///< JankTracker::finishFrame: the GPU is done
  kFrameDraw,      ///< CanvasContext::draw: RenderThread draws a frame
  kRenderTask,     ///< DrawFrameTask::run: RenderThread takes a frame over from the UI thread
  kHintSession,    ///< APerformanceHint_createSession: an app tells how long its frames may take
  kHintTarget,     ///< APerformanceHint_updateTargetWorkDuration: and that this has changed
};

/// How a site was found, most trusted first.
enum class LocateMethod : std::uint8_t {
  kJniTable,
  kMiniDebugInfo,
  kSymbolTable,
  kDynamicSymbol,
  kTable
};

/// One place to probe. All offsets are file offsets, as uprobes want them; zero where they do not
/// apply.
struct ProbeSite {
  SiteKind kind{};
  LocateMethod method{};
  std::string symbol;             ///< mangled name; empty when it was found without one
  std::uint64_t function{};       ///< first instruction of the function
  std::uint64_t call{};           ///< frame-info: the call through JNIEnv slot 204
  std::uint64_t return_offset{};  ///< frame-info: the instruction after it
  /// `function`, or the instruction after it where it starts with a PAC or BTI hint: arm64 kernels
  /// before 5.8 refuse a uprobe on those. Arguments stand in the same registers.
  std::uint64_t function_past_hints{};
  int destination_register{};  ///< frame-info: argument register that holds the buffer at `call`
                               ///< (arm64: N of xN; x86_64: 4 stands for the fifth argument, r8)
  double confidence{};         ///< 0 to 1
};

/// "frame-info", "queue-buffer", ...
[[nodiscard]] std::string_view name_of(SiteKind kind);
/// "jni-table", "mini-debug-info", ...
[[nodiscard]] std::string_view name_of(LocateMethod method);
/// "arm64", "x86_64"
[[nodiscard]] std::string_view name_of(Architecture architecture);

/// All that is known of one library.
struct LibrarySites {
  std::string library;   ///< path
  std::string sha1;      ///< of the whole file, hex
  std::string build_id;  ///< GNU build id, hex; empty when there is none
  Architecture architecture{};
  std::vector<ProbeSite> sites;    ///< best first within a kind
  std::vector<std::string> notes;  ///< which methods were used or not, and why
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
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
  int destination_register{};     ///< frame-info: argument register that holds the buffer at `call`
                                  ///< (arm64: N of xN; x86_64: 4 stands for the fifth argument, r8)
  double confidence{};            ///< 0 to 1
};

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

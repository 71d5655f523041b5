// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "probes/locate/elf_image.h"

namespace framegov {

/// The call `env->GetLongArrayRegion(frameInfo, 0, size, buffer)` in syncAndDrawFrame. Where the
/// compiler did not inline JNIEnv's C++ wrapper, it is the call of the wrapper: registers and
/// return are the same there.
struct FrameInfoCall {
  std::uint64_t call{};            ///< virtual address of the call instruction
  std::uint64_t return_address{};  ///< of the instruction after it
  /// The array and the size are seen to be the function's own fourth and fifth arguments.
  bool arguments_verified = false;
};

/// Follows all paths from `function` (virtual address) and finds the one call through the JNIEnv
/// that was passed in x0 (arm64) or rdi (x86_64). Bounded: at most a few thousand instructions.
/// Errors (kBadInput): there is no such call, several, or a jump that never comes back here.
[[nodiscard]] Result<FrameInfoCall> find_frame_info_call(const ElfImage& image,
                                                         std::uint64_t function);

/// `address`, or the first instruction after it that is no hint (PAC, BTI): arm64 kernels before
/// 5.8 refuse a uprobe on a hint other than NOP.
[[nodiscard]] std::uint64_t past_hints(const ElfImage& image, std::uint64_t address);

}  // namespace framegov

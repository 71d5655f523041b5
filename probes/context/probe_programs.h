// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/context/kernel_features.h"

namespace framegov {

/// What the kernel said to a BPF program for probes.
struct ProbeProgramAnswer {
  Support support{};
  std::uint32_t version_code{};  ///< that it was taken with
  std::string refusal;           ///< what was refused, and the errno's words; empty with kYes
};

/// Loads and drops programs of two instructions, under every code of probe_version_codes().
[[nodiscard]] ProbeProgramAnswer ask_for_probe_programs();

/// Kinds of program that are loaded to ask. A tracepoint's needs no version code.
enum class AskedProgram : std::uint8_t { kProbe, kTracepoint };

/// Loads a program that says that it was built for `version_code`: 0 or an errno.
using ProgramLoader = std::function<int(AskedProgram, std::uint32_t version_code)>;

/// ask_for_probe_programs() of another kernel. `codes` are tried in turn.
[[nodiscard]] ProbeProgramAnswer ask_for_probe_programs(std::span<const std::uint32_t> codes,
                                                        const ProgramLoader& load);

/// The LINUX_VERSION_CODEs that the running kernel may have been built with, likeliest first.
/// Before 5.0 a program on a probe is refused unless it carries that very code. The release does
/// not always tell it: LTS kernels of more than 255 patches give themselves patch 255, and vendors
/// took that over under older releases. `noted`: what the vDSO says, 0 for nothing.
[[nodiscard]] std::vector<std::uint32_t> probe_version_codes(std::uint32_t noted,
                                                             std::string_view release);

/// The code in the note "Linux" of an ELF image as it lies in memory; 0 when there is none.
/// Source: Linux arch/arm64/kernel/vdso/note.S, arch/x86/entry/vdso/vdso-note.S.
[[nodiscard]] std::uint32_t noted_version_code(std::span<const std::byte> image);

/// The last line of a verifier's log that says something of the program, not of the verifier's own
/// time and memory; empty when there is none.
[[nodiscard]] std::string last_verifier_line(std::string_view log);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "probes/locate/byte_view.h"
#include "probes/locate/probe_sites.h"
#include "probes/locate/probe_table.h"

namespace framegov {

/// Raised whenever the same library could give other sites: cached answers of older locators are
/// not used.
inline constexpr int kLocatorVersion = 1;

struct LocateOptions {
  ProbeTable table;  ///< what others found by hand; ProbeTable::shipped() and the user's
};

/// Finds the probe sites in an arm64 or x86_64 library (libhwui.so, libandroid_runtime.so,
/// libgui.so) that nobody has seen before. Methods, in order: the JNI registration table through
/// the dynamic relocations, symbols (mini debug info, .symtab, .dynsym), the table. Where several
/// answer they are compared; the notes tell what each said and the confidence drops when they
/// differ.
///
/// Errors (kBadInput, kNoPermission), one line "path: why": not such a library, truncated, corrupt,
/// or nothing in it can be probed (Android 5's (JJJF)I, a library without the functions). Nothing
/// in the file is trusted; memory and time are bounded.
[[nodiscard]] Result<LibrarySites> locate(const std::filesystem::path& path,
                                          const LocateOptions& options);

/// As locate(), for bytes in memory; `name` is what errors and the result call them.
[[nodiscard]] Result<LibrarySites> locate_bytes(ByteView file, const std::string& name,
                                                const LocateOptions& options);

}  // namespace framegov

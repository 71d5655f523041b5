// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/frame.h"
#include "base/result.h"
#include "config/settings.h"
#include "governor/confinement/file_access.h"
#include "governor/log/log.h"

namespace framegov {

/// What the service of these settings needs of the file system while it runs.
[[nodiscard]] FileAccess needed_files(const Settings& settings);

/// Root is used to attach and to open; this gives up the rest of it, for good: capabilities, new
/// privileges, system calls, and, where the kernel can (Landlock), writing and executing files. To
/// be called once the service is made and before it runs; a new attachment needs a new process.
/// With frames from tracefs (`source`) other processes' memory stays readable, which Landlock would
/// forbid: FrameInfo is read out of it, and files are not confined.
/// What a kernel lacks is a line in the log. Error: the kernel refuses what it should grant.
[[nodiscard]] Status confine(const Settings& settings, SourceKind source, Log& log);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/frame.h"
#include "base/result.h"
#include "base/thread_plan.h"
#include "config/settings.h"
#include "governor/confinement/file_access.h"
#include "governor/log/log.h"
#include "probes/context/command_runner.h"

namespace framegov {

/// What the service of these settings has its command runner do, for itself and the kernel's
/// counters: no other command, question or counter is to be had once it is confined.
[[nodiscard]] Errands service_errands(const Settings& settings);

/// Starts the command runner of a service that will be confined, and confines it: what it starts
/// executes `dumpsys`, `settings` and what these start, and nothing else, unless the owner has a
/// command of his own (jank_hook). To be called first of all.
[[nodiscard]] Status hand_over_commands(const Settings& settings);

/// What the service itself needs of the file system while it runs. `trace_buffer`: of its own in
/// tracefs, which it takes away when it ends; empty: none.
[[nodiscard]] FileAccess needed_files(const Settings& settings,
                                      const std::filesystem::path& trace_buffer = {});
/// What its command runner does.
[[nodiscard]] FileAccess command_files(const Settings& settings);

/// Root is used to attach and to open; this gives up the rest of it, for good: capabilities, new
/// privileges, all system calls but those that a running service makes, and, where the kernel can
/// (Landlock), writing and executing files. To be called once the service is made and before it
/// runs and has threads; a new attachment needs a new process. With frames from tracefs (`source`)
/// other processes' memory stays readable, which Landlock would forbid: FrameInfo is read out of
/// it, and files are not confined.
/// What a kernel lacks is a line in the log. Error: the kernel refuses what it should grant.
/// `levers`: what the kernel lets threads be steered with; where there is none, no right stays.
/// `trace_buffer`: see needed_files.
[[nodiscard]] Status confine(const Settings& settings, SourceKind source,
                             const ThreadLevers& levers, Log& log,
                             const std::filesystem::path& trace_buffer = {});

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace framegov {

/// What this process calls its own in tracefs: its trace buffers begin with it, and its group of
/// events is called so. Holds the process id, so that what is left behind is known as such.
[[nodiscard]] std::string own_trace_name();

/// Writes to a file of tracefs: 0 or an errno. Appends: a truncated uprobe_events loses everybody's
/// definitions.
[[nodiscard]] int write_trace_file(const std::filesystem::path& path, std::string_view text);

/// Was this event ("group/name") or trace buffer made by a framegov?
[[nodiscard]] bool is_framegovs(std::string_view name);

/// Is this event of a framegovd that lives: its own, or one of those that libbpf defines for it on
/// kernels before 4.17?
[[nodiscard]] bool is_a_services(std::string_view event, const std::filesystem::path& proc);

/// Takes away what processes that are dead have left in tracefs: trace buffers and uprobes of
/// framegov, and uprobes on `libraries` that libbpf defines there on kernels before 4.17. The
/// kernel keeps them when their process is killed, and every app goes on trapping on them. Returns
/// how many there were. What cannot be taken away stays for the next time.
int remove_trace_leftovers(const std::filesystem::path& tracefs, const std::filesystem::path& proc,
                           std::span<const std::filesystem::path> libraries);

/// Takes away one trace buffer, and the uprobes of the group of that name.
void remove_trace_instance(const std::filesystem::path& tracefs, const std::string& name);

}  // namespace framegov

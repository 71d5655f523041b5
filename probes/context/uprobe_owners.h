// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace framegov {

/// A uprobe that somebody has defined in tracefs.
struct TracefsUprobe {
  std::string event;  ///< "group/name"
  std::string file;   ///< that is probed
  bool operator==(const TracefsUprobe&) const = default;
};

/// The uprobes of tracefs' `uprobe_events`, in its order; lines of another form are left out. Form:
/// "p:group/name /path:0xOFFSET arguments", r for returns. Pure.
/// Source: Linux Documentation/trace/uprobetracer.rst.
[[nodiscard]] std::vector<TracefsUprobe> parse_uprobe_events(std::string_view text);

/// A BPF program on a uprobe, and the process that holds it there.
struct BpfUprobe {
  std::int32_t pid;
  std::string process;  ///< its comm
  std::string file;     ///< that is probed
};

/// Every process's, each file of a process once. Those of processes that may not be looked at are
/// missing: root sees all but links of type uprobe_multi (6.6), which the kernel does not tell in
/// this way. Source: BPF_TASK_FD_QUERY, linux/bpf.h (4.18).
[[nodiscard]] std::vector<BpfUprobe> bpf_uprobes(const std::filesystem::path& proc);

}  // namespace framegov

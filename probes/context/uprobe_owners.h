// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace framegov

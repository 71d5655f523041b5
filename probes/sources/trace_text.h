// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace framegov {

/// One line of tracefs' trace_pipe, in the format that kernels 4.4 to 6.18 write:
///
///     `   RenderThread-2618    [000] d.Zff  5642.181952: queue_buffer: (0x7fd7b9) surface=14063`
///
///     `         <idle>-0       [003] d.h2.  5642.181960: cpu_frequency: state=1400000 cpu_id=4`
///
/// The name takes 16 columns whatever it holds; a process id in parentheses may follow the
/// thread's. Views into the line.
struct TraceLine {
  std::int32_t tid{};
  std::int16_t cpu = -1;
  Instant at;  ///< on the trace's clock, cut to microseconds
  std::string_view event;
  std::string_view arguments;  ///< "name=value name=value"
};

/// Nothing when it is no such line.
[[nodiscard]] std::optional<TraceLine> parse_trace_line(std::string_view line);

/// The decimal value of `name` among the arguments; nothing when it is missing or malformed.
[[nodiscard]] std::optional<std::uint64_t> trace_argument(std::string_view arguments,
                                                          std::string_view name);

/// What "CPU:2 [LOST 123 EVENTS]" says; 1 where the kernel does not know how many; nothing when it
/// is another line.
[[nodiscard]] std::optional<std::uint64_t> parse_lost_events(std::string_view line);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "trace/byte_source.h"
#include "trace/trace_sink.h"

namespace framegov::sim {

struct TextTraceCounts {
  std::uint64_t lines{};    ///< of ftrace events
  std::uint64_t damaged{};  ///< of them, those whose event could not be read
  std::uint64_t first_damaged_offset{};
};

/// Reads ftrace text into `sink`: /sys/kernel/tracing/trace with or without the TGID and the flags
/// column, `trace-cmd report`, and systrace HTML (its trace-data scripts), process tables
/// included. Lines of other kinds are passed over.
///
/// Fails with kBadInput when there is no event line at all, when most are damaged, or when a
/// systrace page is cut off within its data.
[[nodiscard]] Result<TextTraceCounts> read_text_trace(
    ByteSource& source, TraceSink& sink, const std::function<void(double)>& on_progress = {});

/// One event line; false when `line` is none or its event is damaged. `cpu` is that of any event
/// line, also of a damaged one.
[[nodiscard]] bool parse_ftrace_line(std::string_view line, TraceSink& sink,
                                     std::optional<std::int32_t>& cpu);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/clock_table.h"
#include "trace/perfetto_fields.h"
#include "trace/ring_buffers.h"
#include "trace/trace_sink.h"

namespace framegov {

using InternedNames = std::unordered_map<std::uint64_t, std::string>;

// Decoders of single messages, stateless but for RingBuffers. Each throws protozero::exception on
// malformed bytes; PacketDecoder turns that into an error.

void decode_frame_timeline(std::string_view message, std::int64_t at, TraceSink& sink);
void decode_sys_stats(std::string_view message, std::int64_t at, TraceSink& sink);

/// Power rails' names and what their meters counted.
void decode_power_rails(std::string_view message, const BootClock& clock, TraceSink& sink);

/// A packet whose data has no time of its own: process tree, packages, device, CPUs, buffers,
/// track descriptors. Other tags are ignored.
void decode_untimed_packet(perfetto::Field tag, std::string_view message, RingBuffers& buffers,
                           TraceSink& sink);

/// `names` gives the names of interned annotations.
[[nodiscard]] Annotation decode_annotation(std::string_view message, const InternedNames& names);

}  // namespace framegov

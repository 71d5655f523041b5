// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "trace/clock_table.h"
#include "trace/ring_buffers.h"
#include "trace/trace_sink.h"

namespace framegov {

/// Decodes one FtraceEventBundle (a CPU's events) into `sink`. `lost_before`: events of that CPU
/// are missing, whatever the bundle says. Throws protozero::exception on malformed bytes;
/// PacketDecoder turns that into an error.
void decode_ftrace_bundle(std::string_view bundle, bool lost_before, const BootClock& clock,
                          RingBuffers& buffers, TraceSink& sink);

}  // namespace framegov

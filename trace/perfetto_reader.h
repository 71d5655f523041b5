// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "trace/byte_source.h"
#include "trace/trace_sink.h"

namespace framegov {

/// Reads a whole trace into `sink`. On damage the events before it have been delivered.
/// `on_progress` (may be empty) is called now and then with 0 to 1.
[[nodiscard]] Status read_perfetto(ByteSource& source, TraceSink& sink,
                                   const std::function<void(double)>& on_progress = {});

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/import/trace_model.h"

namespace framegov::sim {

/// A buffer that is not a ring ends when it is full (atrace's without -c, Perfetto's DISCARD): each
/// CPU's then at a time of its own, which nothing tells. It shows where the thread that a CPU ran
/// last goes on to run on another. What came after the first such end is left out, with a note; not
/// where that is more than half of the recording, or shorter than CPUs are read one after the
/// other.
void leave_out_after_full_buffers(TraceModel& model, std::vector<std::string>& notes);

}  // namespace framegov::sim

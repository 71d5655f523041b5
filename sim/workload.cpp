// SPDX-License-Identifier: Apache-2.0
#include "sim/workload.h"

#include <utility>

#include "base/median.h"

namespace framegov {

Duration median_dispatch(std::span<const WorkloadFrame> frames) {
  std::vector<Duration> waits;
  for (const WorkloadFrame& frame : frames) {
    if (is_known(frame.start) && frame.start >= frame.vsync) {
      waits.push_back(frame.start - frame.vsync);
    }
  }
  if (waits.empty()) {
    return {};
  }
  return median(std::move(waits));
}

Status require_work(const Workload& workload) {
  if (workload.has_work) {
    return {};
  }
  return fail(ExitCode::kBadInput, workload.source + ": the frames' work is not known",
              "a replay needs it: record sched/sched_switch and power/cpu_frequency and leave out "
              "--frames-only; `framegov import --frames-only` shows the frames' times");
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "sim/one_app.h"

#include <algorithm>
#include <vector>

namespace framegov {

namespace {

/// Adds a stage's work, spread evenly over the time that it took.
void add_load(OtherLoadSeries& other, const StageLoad& stage, Instant begin, Instant end) {
  const bool known = is_known(begin) && end > begin && stage.cluster >= 0 &&
                     static_cast<std::size_t>(stage.cluster) < other.clusters;
  if (!known || other.window <= Duration{} || begin < other.start) {
    return;
  }
  const double per_ns = stage.work.count() / static_cast<double>((end - begin).count());
  const double window_s = to_seconds(other.window);
  auto window = static_cast<std::size_t>((begin - other.start) / other.window);
  for (Instant from = begin; from < end && window < other.window_count(); ++window) {
    const Instant until =
        std::min(end, other.start + (static_cast<Duration::rep>(window) + 1) * other.window);
    const double cycles = per_ns * static_cast<double>((until - from).count());
    OtherLoad& load =
        other.loads[window * other.clusters + static_cast<std::size_t>(stage.cluster)];
    const auto rate = static_cast<float>(cycles / window_s);
    load.total += rate;
    load.busiest = std::max(load.busiest, rate);
    from = until;
  }
}

}  // namespace

void keep_app(Workload& workload, std::uint32_t app) {
  std::vector<WorkloadFrame> kept;
  for (const WorkloadFrame& frame : workload.frames) {
    if (frame.app == app) {
      kept.push_back(frame);
      continue;
    }
    add_load(workload.other, frame.ui, frame.start, frame.ui_done);
    add_load(workload.other, frame.render, frame.ui_done, frame.ready - frame.gpu);
  }
  workload.frames = std::move(kept);
  workload.dispatch = median_dispatch(workload.frames);
}

bool apps_overlap(const Workload& workload) {
  std::vector<Instant> until(workload.apps.size());  // by app: when its last frame was ready
  for (const WorkloadFrame& frame : workload.frames) {
    for (std::size_t app = 0; app < until.size(); ++app) {
      if (app != frame.app && until[app] > frame.vsync) {
        return true;
      }
    }
    if (frame.app < until.size()) {
      until[frame.app] = frame.ready;
    }
  }
  return false;
}

}  // namespace framegov

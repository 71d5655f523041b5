// SPDX-License-Identifier: Apache-2.0
#include "sim/one_app.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace framegov {

namespace {

/// What threads ran, by CPU and window of an OtherLoadSeries.
class CpuCycles {
 public:
  explicit CpuCycles(const OtherLoadSeries& other) : other_(&other) {}

  /// A stage's work, spread evenly over the time that it took.
  void add(const StageLoad& stage, Instant begin, Instant end) {
    const bool known = is_known(begin) && end > begin && end - begin <= kLongestDispatch &&
                       stage.cluster >= 0 &&
                       static_cast<std::size_t>(stage.cluster) < other_->clusters;
    if (!known || other_->window <= Duration{} || begin < other_->start) {
      return;
    }
    const double per_ns = stage.work.count() / static_cast<double>((end - begin).count());
    auto window = static_cast<std::size_t>((begin - other_->start) / other_->window);
    for (Instant from = begin; from < end && window < other_->window_count(); ++window) {
      const Instant until =
          std::min(end, other_->start + (static_cast<Duration::rep>(window) + 1) * other_->window);
      const auto cluster = static_cast<std::size_t>(stage.cluster);
      cycles_[{window * other_->clusters + cluster, stage.cpu}] +=
          per_ns * static_cast<double>((until - from).count());
      from = until;
    }
  }

  void add_to(OtherLoadSeries& other) const {
    for (const auto& [place, cycles] : cycles_) {
      OtherLoad& load = other.loads[place.first];
      const auto rate = static_cast<float>(cycles / to_seconds(other.window));
      load.total += rate;
      load.busiest = std::max(load.busiest, rate);
    }
  }

 private:
  const OtherLoadSeries* other_;
  std::map<std::pair<std::size_t, int>, double> cycles_;  // (index into loads, CPU)
};

}  // namespace

void keep_app(Workload& workload, std::uint32_t app) {
  CpuCycles others(workload.other);
  std::vector<WorkloadFrame> kept;
  for (const WorkloadFrame& frame : workload.frames) {
    if (frame.app == app) {
      kept.push_back(frame);
      continue;
    }
    others.add(frame.ui, frame.start, frame.ui_done);
    others.add(frame.render, frame.ui_done, frame.ready - frame.gpu);
  }
  others.add_to(workload.other);
  workload.frames = std::move(kept);
  workload.dispatch = median_dispatch(workload.frames);
}

bool apps_overlap(const Workload& workload) {
  std::uint32_t latest_app = 0;
  Instant latest;  // until then a frame of latest_app was made
  Instant others;  // and one of any other app
  for (const WorkloadFrame& frame : workload.frames) {
    if ((frame.app == latest_app ? others : latest) > frame.vsync) {
      return true;
    }
    if (frame.app == latest_app) {
      latest = std::max(latest, frame.ready);
    } else if (frame.ready > latest) {
      others = latest;
      latest = frame.ready;
      latest_app = frame.app;
    } else {
      others = std::max(others, frame.ready);
    }
  }
  return false;
}

}  // namespace framegov

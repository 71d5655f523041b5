// SPDX-License-Identifier: Apache-2.0
#include "sim/workload_source.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace framegov {

namespace {

constexpr double kFilled = 0.8;

double ns(Instant instant) { return static_cast<double>(to_ns(instant)); }
double ns(Duration duration) { return static_cast<double>(duration.count()); }

/// Indices ascending by `key`.
template <class Key>
std::vector<std::size_t> ranked(std::size_t count, Key key) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

WorkloadSource::WorkloadSource(const Workload& workload, const DeviceTables& tables,
                               DeadlineMode mode)
    : workload_(&workload), tables_(&tables), mode_(mode) {
  const double recorded = workload.reference.coremark_per_mhz;
  const double scale =
      recorded > 0 && tables.reference_coremark > 0 ? recorded / tables.reference_coremark : 1.0;
  ns_per_work_ = scale / tables.reference_hz * 1e9;

  by_speed_ =
      ranked(tables.clusters.size(), [&](std::size_t c) { return tables.clusters[c].capacity; });
  const auto& from = workload.clusters;
  same_shape_ = from.size() == tables.clusters.size();
  const std::vector<std::size_t> recorded_order = ranked(from.size(), [&](std::size_t c) {
    return static_cast<double>(from[c].max_frequency.count()) * from[c].relative_per_mhz;
  });
  placement_.resize(from.size());
  const auto top = static_cast<double>(by_speed_.size() - 1);
  for (std::size_t rank = 0; rank < recorded_order.size(); ++rank) {
    const double share = recorded_order.size() > 1
                             ? static_cast<double>(rank) / static_cast<double>(from.size() - 1)
                             : 1.0;
    placement_[recorded_order[rank]] =
        static_cast<std::int8_t>(by_speed_[static_cast<std::size_t>(std::lround(share * top))]);
  }
}

std::int8_t WorkloadSource::placed(const StageLoad& stage) const {
  const auto cluster = static_cast<std::size_t>(stage.cluster);
  return stage.cluster >= 0 && cluster < placement_.size()
             ? placement_[cluster]
             : static_cast<std::int8_t>(tables_->fastest);
}

bool WorkloadSource::next_frame(ReplayFrame& frame) {
  if (next_frame_ >= workload_->frames.size()) {
    return false;
  }
  const WorkloadFrame& from = workload_->frames[next_frame_++];
  frame.vsync = ns(from.vsync);
  frame.interval = ns(from.interval);
  frame.deadline = deadline_in(mode_, frame.vsync, frame.interval, ns(from.deadline));
  frame.ui_work = from.ui.work.count() * ns_per_work_;
  frame.ui_fixed = ns(from.ui.fixed);
  frame.render_work = from.render.work.count() * ns_per_work_;
  frame.render_fixed = ns(from.render.fixed);
  frame.gpu = ns(from.gpu);
  frame.ui_cluster = placed(from.ui);
  frame.render_cluster = placed(from.render);
  frame.app = from.app;
  frame.platform_deadline =
      mode_ == DeadlineMode::kRecorded && from.deadline_edge == DeadlineEdge::kPlatform;
  return true;
}

bool WorkloadSource::next_touch(double& at) {
  if (next_touch_ >= workload_->touches.size()) {
    return false;
  }
  at = ns(workload_->touches[next_touch_++].down);
  return true;
}

std::size_t WorkloadSource::fitting_cluster(const ReplayLoad& load) const {
  for (const std::size_t c : by_speed_) {
    const ClusterTable& table = tables_->clusters[c];
    if (load.busiest <= kFilled * table.capacity &&
        load.total <= kFilled * table.capacity * static_cast<double>(table.cpu_count)) {
      return c;
    }
  }
  // Nowhere alone: where most of it can run.
  return *std::max_element(by_speed_.begin(), by_speed_.end(), [&](std::size_t a, std::size_t b) {
    const auto throughput = [&](std::size_t c) {
      return tables_->clusters[c].capacity * static_cast<double>(tables_->clusters[c].cpu_count);
    };
    return throughput(a) < throughput(b);
  });
}

bool WorkloadSource::next_load(double& at, std::span<ReplayLoad> loads) {
  const OtherLoadSeries& series = workload_->other;
  const std::size_t windows = series.window_count();
  if (windows == 0 || next_window_ > windows) {
    return false;
  }
  std::fill(loads.begin(), loads.end(), ReplayLoad{});
  at = ns(series.start) + static_cast<double>(next_window_) * ns(series.window);
  if (next_window_ == windows) {  // after the last window nothing is known
    ++next_window_;
    return true;
  }
  const double scale = ns_per_work_ * 1e-9;  // cycles per second to a share of the reference speed
  for (std::size_t c = 0; c < series.clusters; ++c) {
    const OtherLoad& from = series.loads[next_window_ * series.clusters + c];
    const ReplayLoad load{static_cast<double>(from.total) * scale,
                          static_cast<double>(from.busiest) * scale};
    const std::size_t to = same_shape_ && c < placement_.size()
                               ? static_cast<std::size_t>(placement_[c])
                               : fitting_cluster(load);
    loads[to].total += load.total;
    loads[to].busiest = std::max(loads[to].busiest, load.busiest);
  }
  ++next_window_;
  return true;
}

}  // namespace framegov

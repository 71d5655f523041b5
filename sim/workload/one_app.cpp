// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/one_app.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace framegov::sim {

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

/// Leaves the frames of which `keep` is true alone.
void keep_frames(Workload& workload, const std::vector<bool>& keep) {
  CpuCycles others(workload.other);
  std::vector<WorkloadFrame> kept;
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    const WorkloadFrame& frame = workload.frames[i];
    if (keep[i]) {
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

/// When frames were made: spans by begin, none of which overlap.
class Spans {
 public:
  [[nodiscard]] bool overlap(Instant begin, Instant end) const {
    const auto after = ends_.lower_bound(end);
    return after != ends_.begin() && std::prev(after)->second > begin;
  }
  void add(Instant begin, Instant end) {
    auto next = ends_.upper_bound(begin);
    if (next != ends_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    for (; next != ends_.end() && next->first <= end; next = ends_.erase(next)) {
      end = std::max(end, next->second);
    }
    ends_[begin] = end;
  }

 private:
  std::map<Instant, Instant> ends_;
};

/// When a frame was ready or, where that is not recorded, had to be.
Instant made_by(const WorkloadFrame& frame) {
  return is_known(frame.ready) ? frame.ready
                               : std::max(frame.deadline, frame.vsync + frame.interval);
}

char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// As long as an app goes on drawing it does not come on top between two of its frames.
constexpr Duration kDrawsOn = std::chrono::seconds{1};

/// Android never counts these as on top: what draws behind apps and over them.
bool is_never_on_top(const WorkloadApp& app) {
  std::string name = app.name;
  std::transform(name.begin(), name.end(), name.begin(), ascii_lower);
  return name.find("wallpaper") != std::string::npos || name == "com.android.systemui";
}

/// Those that are taken for on top before others: with more frames, of those that can be.
std::vector<std::uint32_t> apps_from_top(const Workload& workload) {
  std::vector<std::size_t> frames(workload.apps.size());
  for (const WorkloadFrame& frame : workload.frames) {
    ++frames[frame.app];
  }
  std::vector<std::uint32_t> apps(workload.apps.size());
  std::iota(apps.begin(), apps.end(), 0U);
  std::stable_sort(apps.begin(), apps.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool never_a = is_never_on_top(workload.apps[a]);
    const bool never_b = is_never_on_top(workload.apps[b]);
    return never_a != never_b ? never_b : frames[a] > frames[b];
  });
  return apps;
}

}  // namespace

void keep_app(Workload& workload, std::uint32_t app) {
  std::vector<bool> keep(workload.frames.size());
  std::transform(workload.frames.begin(), workload.frames.end(), keep.begin(),
                 [app](const WorkloadFrame& frame) { return frame.app == app; });
  keep_frames(workload, keep);
}

std::size_t mark_apps_beside(Workload& workload) {
  std::vector<std::vector<std::size_t>> frames_of(workload.apps.size());
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    frames_of[workload.frames[i].app].push_back(i);
  }
  Spans made;
  std::size_t beside = 0;
  for (const std::uint32_t app : apps_from_top(workload)) {
    const std::vector<std::size_t>& own = frames_of[app];
    std::vector<bool> overlaps;
    for (const std::size_t i : own) {
      const WorkloadFrame& frame = workload.frames[i];
      overlaps.push_back(made.overlap(frame.vsync, made_by(frame)));
    }
    for (std::size_t begin = 0; begin < own.size();) {
      bool any = overlaps[begin];
      std::size_t end = begin + 1;
      while (end < own.size() &&
             workload.frames[own[end]].vsync - workload.frames[own[end - 1]].vsync < kDrawsOn) {
        any = overlaps[end++] || any;
      }
      for (; begin < end; ++begin) {
        WorkloadFrame& frame = workload.frames[own[begin]];
        frame.beside = any;
        beside += any ? 1U : 0U;
        if (!any) {
          made.add(frame.vsync, made_by(frame));
        }
      }
    }
  }
  return beside;
}

}  // namespace framegov::sim

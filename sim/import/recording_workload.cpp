// SPDX-License-Identifier: Apache-2.0
#include "sim/import/recording_workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "base/median.h"
#include "sim/workload/recorded_buffers.h"
#include "socs/soc_table.h"

namespace framegov::sim {

namespace {

double per_mhz(const Cluster& cluster) {
  return cluster.max_speed().count() / (to_mhz(cluster.max_frequency()) * 1e6);
}

void add_clusters(const Recording& recording, Workload& workload) {
  const CpuTopology& topology = recording.topology;
  if (topology.clusters.empty()) {
    return;
  }
  const Cluster& fastest = topology.clusters[topology.fastest_cluster()];
  for (const Cluster& cluster : topology.clusters) {
    workload.clusters.push_back({.cpufreq_id = cluster.cpufreq_id,
                                 .cpus = cluster.cpus,
                                 .max_frequency = cluster.max_frequency(),
                                 .relative_per_mhz = per_mhz(cluster) / per_mhz(fastest)});
  }
  workload.reference.max_frequency = fastest.max_frequency();
  workload.reference.name = "core of policy" + std::to_string(fastest.cpufreq_id);
  if (const KnownSoc* soc = find_soc(recording.device)) {
    workload.reference.name = soc->fastest_core;
    workload.reference.coremark_per_mhz = soc->coremark_per_mhz;
  }
}

class StageReader {
 public:
  StageReader(const Recording& recording, const Workload& workload)
      : topology_(recording.topology), workload_(workload), by_cluster_(kMaxClusters) {
    for (const RecordedFrequency& change : recording.frequencies) {
      if (change.cluster < by_cluster_.size()) {
        by_cluster_[change.cluster].push_back(change);
      }
    }
  }

  /// What a thread did on `cpu` in `counted` between `begin` and `end`; false when the work is not
  /// known. What is counted beyond that time ran before or after (docs/decisions/cpu-time.md).
  bool read(const Frame& frame, int cpu, Duration counted, Instant begin, Instant end,
            StageLoad& stage) const {
    const Duration length = std::max(Duration{}, end - begin);
    const Duration cpu_time = std::min(counted, length);
    const auto found = topology_.cluster_of(cpu);
    const int cluster = found ? static_cast<int>(*found) : frame.cluster;
    stage.cpu = static_cast<std::int16_t>(cpu);
    stage.cluster = static_cast<std::int8_t>(cluster);
    stage.fixed = length - cpu_time;
    if (cpu_time <= Duration{}) {
      return length <= Duration{};
    }
    if (cluster < 0 || static_cast<std::size_t>(cluster) >= workload_.clusters.size()) {
      return false;
    }
    const auto index = static_cast<std::size_t>(cluster);
    stage.frequency = mean_frequency(frame, index, begin, begin + length);
    stage.work = Work{to_seconds(cpu_time) * static_cast<double>(stage.frequency.count()) * 1e3 *
                      workload_.clusters[index].relative_per_mhz};
    return stage.frequency.count() > 0;
  }

 private:
  /// Over the stage from the recorded changes. Before the first of them, the frame's own, which is
  /// the critical thread's over the whole frame, where it is of this cluster.
  [[nodiscard]] Frequency mean_frequency(const Frame& frame, std::size_t cluster, Instant begin,
                                         Instant end) const {
    const auto& changes = by_cluster_[cluster];
    const bool frames_own =
        static_cast<std::size_t>(frame.cluster) == cluster && frame.frequency.count() > 0;
    if (changes.empty() || changes.front().at > begin) {
      const Frequency first = changes.empty() ? Frequency{} : changes.front().frequency;
      return frames_own ? frame.frequency : first;
    }
    auto next =
        std::upper_bound(changes.begin(), changes.end(), begin,
                         [](Instant t, const RecordedFrequency& change) { return t < change.at; });
    const Frequency at_begin = std::prev(next)->frequency;
    if (end <= begin) {
      return at_begin;
    }
    double khz_seconds = 0;
    Instant from = begin;
    Frequency frequency = at_begin;
    for (; next != changes.end() && next->at < end; ++next) {
      khz_seconds += static_cast<double>(frequency.count()) * to_seconds(next->at - from);
      from = next->at;
      frequency = next->frequency;
    }
    khz_seconds += static_cast<double>(frequency.count()) * to_seconds(end - from);
    return khz(std::llround(khz_seconds / to_seconds(end - begin)));
  }

  const CpuTopology& topology_;
  const Workload& workload_;
  std::vector<std::vector<RecordedFrequency>> by_cluster_;
};

/// Until when an app's RenderThread and the GPU were busy with its frames, and its buffers.
struct Pipeline {
  Instant render;
  Instant gpu;
  BufferQueue buffers;

  /// `frame` has been queued. A damaged time must not keep all later frames waiting.
  void done(const WorkloadFrame& frame, Instant queued) {
    const Instant latest = frame.vsync + kLongestDispatch;
    if (static_cast<double>(to_ns(frame.ready + frame.interval)) < buffers.dequeue_at()) {
      buffers = {};
    }
    render = std::max(render, std::min(queued, latest));
    gpu = std::max(gpu, std::min(frame.ready, latest));
    queue_recorded(buffers, frame);
  }

  /// How long RenderThread waited for a buffer, of the time from `begin` on that it was `blocked`.
  /// Where none was missing that is a call to the compositor or an allocation, and the frame's own.
  /// The compositor may give a buffer back up to a vsync after the plant does.
  [[nodiscard]] Duration waited(Instant begin, Duration blocked, Duration interval) const {
    constexpr Duration kLongCall = std::chrono::milliseconds{1};
    const double missing = buffers.dequeue_at() - static_cast<double>(to_ns(begin));
    if (missing + static_cast<double>(interval.count()) <= 0) {
      return {};
    }
    const Duration wait{std::max<std::int64_t>(0, std::llround(missing))};
    return blocked < wait + kLongCall ? std::min(wait, blocked) : blocked;
  }
};

Duration most_common_interval(const Recording& recording) {
  std::vector<Duration> intervals;
  for (const RecordedFrame& recorded : recording.frames) {
    if (recorded.frame.interval > Duration{}) {
      intervals.push_back(recorded.frame.interval);
    }
  }
  if (intervals.empty()) {
    return Duration{1'000'000'000 / 60};
  }
  return median(std::move(intervals));
}

}  // namespace

Result<Workload> workload_from_recording(const Recording& recording, bool frames_only) {
  if (recording.frames.empty()) {
    return fail(ExitCode::kBadInput, "no frames in the recording",
                "record while an app draws; `framegov doctor` shows why frames may be missing");
  }
  Workload workload;
  workload.device = recording.device;
  workload.interval = most_common_interval(recording);
  add_clusters(recording, workload);
  for (const std::string& app : recording.apps) {
    workload.apps.push_back({app, 0});
  }
  for (const Instant touch : recording.touches) {
    workload.touches.push_back({touch, touch});
  }
  for (const RecordedFrequency& change : recording.frequencies) {
    workload.frequencies.push_back(
        {change.at, static_cast<std::int8_t>(change.cluster), change.frequency});
  }
  const StageReader stages(recording, workload);
  std::vector<Pipeline> pipelines(workload.apps.size());
  std::size_t unknown = 0;
  for (const RecordedFrame& recorded : recording.frames) {
    const Frame& in = recorded.frame;
    WorkloadFrame frame;
    // A game's frame begins when it has a buffer, as in other recordings: the wait is the queue's.
    const bool game = in.has(FramePart::kSurface);
    frame.vsync = game ? std::min(in.origin() + in.blocked, in.ready) : in.origin();
    frame.pace = in.pace;
    frame.interval = in.interval > Duration{} ? in.interval : workload.interval;
    if (in.interval <= Duration{} && in.pace > Duration{}) {
      frame.interval = std::min(frame.interval, in.pace);  // no game is faster than its display
    }
    frame.deadline = is_known(in.deadline) ? in.deadline : frame.vsync + frame.interval;
    frame.deadline_edge = is_known(in.deadline) ? in.deadline_edge : DeadlineEdge::kVsyncInterval;
    // A thread that the vsync before woke may take this one, when it comes to it that late.
    frame.start = std::max(in.start, frame.vsync);
    frame.ui_done = is_known(in.ui_done) ? in.ui_done : frame.start;
    frame.ready = in.ready;
    frame.app = recorded.app;
    if (WorkloadApp& app = workload.apps[recorded.app]; app.pid == 0) {
      app.pid = in.pid;
    }
    if (!frames_only) {
      const bool ui =
          stages.read(in, in.ui_cpu, in.ui_cpu_time, frame.start, frame.ui_done, frame.ui);
      Pipeline& free = pipelines[recorded.app];
      // Waiting for RenderThread and for a buffer is the plant's to find out, not the frame's.
      const Instant handover = std::max(frame.ui_done, free.render);
      const Instant draws =
          handover + free.waited(handover, game ? Duration{} : in.blocked, frame.interval);
      Instant queued = frame.ready;
      if (in.has(FramePart::kGpu)) {
        // When the buffer was queued is not recorded: what RenderThread did not run was the GPU's,
        // which works for one frame at a time.
        queued = std::min(frame.ready, draws + in.render_cpu_time);
        frame.gpu = std::max(Duration{}, frame.ready - std::max(queued, free.gpu));
      }
      free.done(frame, queued);
      const bool render =
          stages.read(in, in.render_cpu, in.render_cpu_time, draws, queued, frame.render);
      if (!ui || !render) {
        ++unknown;
        continue;
      }
    }
    workload.frames.push_back(frame);
  }
  if (workload.frames.empty()) {
    return fail(ExitCode::kBadInput,
                "the frames' work is not known: the recording has no CPU times or frequencies",
                "take the frames' times alone with `framegov import --frames-only`");
  }
  workload.has_work = !frames_only;
  if (unknown != 0) {
    workload.notes.push_back(std::to_string(unknown) +
                             " frames left out: no CPU time or frequency was recorded for them");
  }
  return workload;
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/import/import_report.h"

#include <algorithm>
#include <optional>

#include "sim/import/workload_from_trace.h"
#include "sim/plant/buffer_queue.h"
#include "sim/workload/platform_label.h"

namespace framegov::sim {

namespace {

/// One that is damaged, ready long after its vsync, does not keep the buffers of all later ones.
constexpr std::int64_t kLongestInQueue = 1'000'000'000;

/// The platform's labels beside what the frames' own times say, with a queue of buffers between.
void compare_jank(const AppFrames& found, ImportedApp& app) {
  BufferQueue queue;
  for (const TraceFrame& frame : found.frames) {
    if (frame.interval <= 0) {
      continue;
    }
    // The compositor's vsync is the deadline, an interval after the one before it.
    const auto interval = static_cast<double>(frame.interval);
    const auto deadline = static_cast<double>(frame.deadline);
    const double grid = deadline - interval;
    const auto ready = static_cast<double>(std::min(frame.ready, frame.vsync + kLongestInQueue));
    const double latch = queue.queue(grid, interval, ready);
    if (const std::optional<bool> platform = labelled_late(frame.jank_type)) {
      const bool ours = taken_after_its_turn(latch, grid, interval, deadline);
      ++app.labelled;
      app.platform_late += *platform ? 1U : 0U;
      app.late += ours ? 1U : 0U;
      app.agree += *platform == ours ? 1U : 0U;
    }
  }
}

double refresh_rate(Duration interval) {
  return interval > Duration{} ? 1e9 / static_cast<double>(interval.count()) : 0;
}

}  // namespace

std::string jank_type_name(std::uint32_t bits) {
  struct Name {
    std::uint32_t bit;
    const char* name;
  };
  constexpr Name kJankNames[] = {{kJankNone, "none"},
                                 {kJankSurfaceFlingerScheduling, "SurfaceFlinger scheduling"},
                                 {kJankPredictionError, "prediction error"},
                                 {kJankDisplayHal, "display HAL"},
                                 {kJankSurfaceFlingerCpu, "SurfaceFlinger CPU deadline missed"},
                                 {kJankSurfaceFlingerGpu, "SurfaceFlinger GPU deadline missed"},
                                 {kJankAppDeadlineMissed, "app deadline missed"},
                                 {kJankBufferStuffing, "buffer stuffing"},
                                 {kJankUnknown, "unknown"},
                                 {kJankSurfaceFlingerStuffing, "SurfaceFlinger stuffing"},
                                 {kJankDropped, "dropped"},
                                 {kJankNonAnimating, "not animating"},
                                 {kJankAppResyncedJitter, "app resynced jitter"},
                                 {kJankDisplayNotOn, "display not on"},
                                 {kJankDisplayModeChange, "display mode change"},
                                 {kJankDisplayPowerModeChange, "display power mode change"}};
  if (bits == kJankNotTold) {
    return "unspecified";
  }
  std::string text;
  for (const Name& name : kJankNames) {
    if ((bits & name.bit) != 0) {
      text += (text.empty() ? "" : " + ") + std::string(name.name);
      bits &= ~name.bit;
    }
  }
  if (bits != 0) {
    text += (text.empty() ? "" : " + ") + std::string("type ") + std::to_string(bits);
  }
  return text;
}

ImportReport report_trace(const TraceModel& model, const FrameFinding& finding,
                          const CpuSpeed& speed) {
  ImportReport report;
  report.device = model.device.fingerprint;
  report.duration_s = model.duration_s();
  report.refresh_hz = finding.interval_assumed ? 0 : 1e9 / static_cast<double>(finding.interval);
  const TraceCounts& counts = model.counts;
  report.counts = {{"sched_switch", counts.switches},
                   {"sched_waking", counts.wakings},
                   {"cpu_frequency", counts.cpu_frequency},
                   {"cpu_frequency_polled", counts.polled_frequency},
                   {"cpu_frequency_limits", counts.cpu_limits},
                   {"cpu_idle", counts.cpu_idle},
                   {"gpu_frequency", counts.gpu_frequency},
                   {"print", counts.prints},
                   {"frame_timeline", counts.frame_timeline},
                   {"power_rails", model.power.rails.size()},
                   {"power_rail_samples", counts.energy},
                   {"packages", counts.packages},
                   {"lost", counts.lost}};
  for (const WorkloadCluster& cluster : speed.clusters()) {
    report.clusters.push_back({cluster, {}});
  }
  for (const CpuFrequencySample& sample : model.cpu.frequencies) {
    if (const int cluster = speed.cluster_of(sample.cpu); cluster >= 0) {
      ++report.clusters[static_cast<std::size_t>(cluster)].changes[sample.khz];
    }
  }
  std::uint64_t frames = 0;
  for (const AppFrames& found : finding.apps) {
    ImportedApp app;
    app.name = found.name;
    app.pid = found.tgid;
    app.frames = found.frames.size();
    app.do_frames = found.slices.do_frames;
    app.draw_frames = found.slices.draw_frames;
    app.queue_buffers = found.slices.queue_buffers;
    app.dequeue_buffers = found.slices.dequeue_buffers;
    app.timeline_expected = found.timeline_expected;
    app.timeline_actual = found.timeline_actual;
    for (const auto& [bits, count] : found.jank_types) {
      app.jank_types[jank_type_name(bits)] += count;
    }
    compare_jank(found, app);
    frames += app.frames;
    report.counts["do_frame"] += app.do_frames;
    report.counts["draw_frame"] += app.draw_frames;
    report.counts["queue_buffer"] += app.queue_buffers;
    report.counts["dequeue_buffer"] += app.dequeue_buffers;
    report.counts["actual_surface_frame"] += app.timeline_actual;
    report.apps.push_back(std::move(app));
  }
  report.counts["frame"] = frames;
  if (frames == 0) {
    report.missing.emplace_back("frames");
  }
  if (const std::string missing = missing_for_work(model, finding); !missing.empty()) {
    report.missing.push_back("work: no " + missing);
  }
  if (counts.frame_timeline == 0) {
    report.missing.emplace_back("FrameTimeline: deadlines are vsync + refresh interval");
  }
  if (report.device.empty()) {
    report.missing.emplace_back("device name");
  }
  return report;
}

ImportReport report_recording(const Recording& recording) {
  ImportReport report;
  report.device = recording.device;
  report.counts = {{"frame", recording.frames.size()},
                   {"cpu_frequency", recording.frequencies.size()},
                   {"plan", recording.plans.size()},
                   {"touch", recording.touches.size()}};
  for (const std::string& name : recording.apps) {
    report.apps.push_back({.name = name});
  }
  for (const RecordedFrame& recorded : recording.frames) {
    ++report.apps[recorded.app].frames;
    report.apps[recorded.app].pid = recorded.frame.pid;
  }
  if (!recording.frames.empty()) {
    const Frame& last = recording.frames.back().frame;
    report.duration_s =
        to_seconds(std::max(last.ready, last.origin()) - recording.frames.front().frame.origin());
    report.refresh_hz = refresh_rate(last.interval);
  }
  for (const Cluster& cluster : recording.topology.clusters) {
    report.clusters.push_back({{.cpufreq_id = cluster.cpufreq_id,
                                .cpus = cluster.cpus,
                                .max_frequency = cluster.max_frequency()},
                               {}});
  }
  for (const RecordedFrequency& change : recording.frequencies) {
    if (change.cluster < report.clusters.size()) {
      ++report.clusters[change.cluster].changes[change.frequency.count()];
    }
  }
  return report;
}

ImportReport report_workload(const Workload& workload) {
  ImportReport report;
  report.device = workload.device;
  report.refresh_hz = refresh_rate(workload.interval);
  report.counts = {{"frame", workload.frames.size()},
                   {"other_load_windows", workload.other.window_count()},
                   {"touch", workload.touches.size()},
                   {"boost", workload.boosts.size()}};
  for (const WorkloadApp& app : workload.apps) {
    report.apps.push_back({.name = app.name, .pid = app.pid});
  }
  for (const WorkloadFrame& frame : workload.frames) {
    ++report.apps[frame.app].frames;
  }
  Instant begin = workload.frames.empty() ? Instant::max() : workload.frames.front().vsync;
  Instant end = workload.frames.empty() ? Instant::min() : workload.frames.back().deadline;
  if (const std::size_t windows = workload.other.window_count(); windows != 0) {
    begin = std::min(begin, workload.other.start);
    end = std::max(
        end, workload.other.start + workload.other.window * static_cast<Duration::rep>(windows));
  }
  report.duration_s = begin < end ? to_seconds(end - begin) : 0;
  if (workload.frames.empty()) {
    report.missing.emplace_back("frames");
  }
  for (const WorkloadCluster& cluster : workload.clusters) {
    report.clusters.push_back({cluster, {}});
  }
  for (const FrequencyChange& change : workload.frequencies) {
    ++report.clusters[static_cast<std::size_t>(change.cluster)].changes[change.frequency.count()];
  }
  if (!workload.has_work) {
    report.missing.emplace_back("work");
  }
  return report;
}

}  // namespace framegov::sim

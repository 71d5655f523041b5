// SPDX-License-Identifier: Apache-2.0
#include "sim/plant/probed_frame.h"

namespace framegov::sim {

namespace {

Duration plant_duration(double ns) { return Duration{static_cast<Duration::rep>(ns + 0.5)}; }

std::uint64_t surface_of(const PipelineFrame& frame) { return frame.load.app + 1; }

}  // namespace

FrameStart start_on(std::int8_t cluster, const PipelineFrame& frame, const DeviceTables& tables) {
  FrameStart start;
  start.pid = static_cast<std::int32_t>(frame.load.app) + 1;
  start.app = static_cast<AppId>(frame.load.app + 1);
  start.cpu = cpu_of(tables.clusters[static_cast<std::size_t>(cluster)], false);
  start.cluster = cluster;
  return start;
}

Frame as_probed(const PipelineFrame& frame, const DeviceTables& tables) {
  const bool render_critical = frame.render_cpu_time > frame.ui_cpu_time;
  const auto ui_cluster = static_cast<std::size_t>(frame.ui_cluster);
  const auto render_cluster = static_cast<std::size_t>(frame.render_cluster);
  const std::size_t critical = render_critical ? render_cluster : ui_cluster;
  const ClusterTable& table = tables.clusters[critical];
  // The cluster's mean frequency while threads of the frame ran on it.
  const bool ui_there = ui_cluster == critical;
  const bool render_there = render_cluster == critical;
  const bool moved = frame.ui_here_time > 0 || frame.render_here_time > 0;
  const double ui_work = moved ? frame.ui_here_work : frame.load.ui_work;
  const double render_work = moved ? frame.render_here_work : frame.load.render_work;
  const double ui_ran = moved ? frame.ui_here_time : frame.ui_cpu_time;
  const double render_ran = moved ? frame.render_here_time : frame.render_cpu_time;
  const double work = (ui_there ? ui_work : 0) + (render_there ? render_work : 0);
  const double ran = (ui_there ? ui_ran : 0) + (render_there ? render_ran : 0);

  Frame out;
  out.pid = static_cast<std::int32_t>(frame.load.app) + 1;
  out.app = static_cast<AppId>(frame.load.app + 1);
  out.surface = surface_of(frame);
  out.vsync = plant_instant(frame.load.vsync);
  out.start = plant_instant(frame.start);
  out.ui_done = plant_instant(frame.ui_done);
  out.ready = plant_instant(frame.ready);
  out.deadline = plant_instant(frame.load.deadline);
  out.interval = plant_duration(frame.load.interval);
  out.ui_cpu_time = plant_duration(frame.ui_cpu_time);
  out.render_cpu_time = plant_duration(frame.render_cpu_time);
  out.blocked = plant_duration(frame.blocked);
  if (ran > 0) {
    out.frequency =
        Frequency{static_cast<std::int64_t>(work / ran / table.capacity * table.khz.back() + 0.5)};
  }
  out.ui_cpu = cpu_of(tables.clusters[ui_cluster], false);
  out.render_cpu = cpu_of(tables.clusters[render_cluster], ui_cluster == render_cluster);
  out.cluster = static_cast<std::int8_t>(critical);
  out.source = SourceKind::kRecording;
  out.deadline_edge =
      frame.load.platform_deadline ? DeadlineEdge::kPlatform : DeadlineEdge::kVsyncInterval;
  out.add(FramePart::kStart);
  out.add(FramePart::kUi);
  out.add(FramePart::kRender);
  if (frame.load.gpu > 0) {
    out.add(FramePart::kGpu);
  }
  return out;
}

void ProbedGame::see(std::uint32_t app) {
  if (app != app_) {
    *this = {};
    app_ = app;
  }
}

bool ProbedGame::on_dequeue(const PipelineFrame& frame, double now) {
  see(frame.load.app);
  if (!is_known(queued_)) {
    return false;
  }
  return surfaces_.blocked(surface_of(frame), queued_, plant_instant(now)) >= GameSurfaces::kWaited;
}

std::optional<FrameStart> ProbedGame::start(const PipelineFrame& frame,
                                            const DeviceTables& tables) {
  FrameStart start = start_on(frame.render_cluster, frame, tables);
  return surfaces_.begin(surface_of(frame), start) ? std::optional(start) : std::nullopt;
}

std::optional<Frame> ProbedGame::on_queue(const PipelineFrame& frame, const DeviceTables& tables) {
  see(frame.load.app);
  const Frame known = as_probed(frame, tables);
  surfaces_.use_spare(frame.load.spare);
  queued_ = plant_instant(frame.render_done);
  Frame out;
  if (!surfaces_.queue(known.surface, queued_, known.interval, out)) {
    return std::nullopt;
  }
  out.pid = known.pid;
  out.app = known.app;
  out.frequency = known.frequency;
  out.render_cpu = known.render_cpu;
  out.render_cpu_time = known.render_cpu_time;
  out.cluster = known.cluster;
  out.source = known.source;
  return out;
}

}  // namespace framegov::sim

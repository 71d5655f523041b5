// SPDX-License-Identifier: Apache-2.0
#include "sim/run/run_trace.h"

#include <algorithm>

#include "sim/plant/probed_frame.h"

namespace framegov::sim {

namespace {

// Tracks of one app; the next app's follow.
constexpr std::uint64_t kUiThread = 0;
constexpr std::uint64_t kRenderThread = 1;
constexpr std::uint64_t kGpu = 2;
constexpr std::uint64_t kMissed = 3;
constexpr std::uint64_t kTracks = 4;
constexpr std::uint64_t kFirstTrack = 0x73696d01;
/// Before the first vsync, which is a second after the plant's zero.
constexpr double kBeginNs = 1;

}  // namespace

RunTrace::RunTrace(const DeviceTables& tables, const CpuTopology& topology, TraceWriter& writer,
                   const std::string& device, std::string name)
    : tables_(&tables),
      topology_(&topology),
      writer_(&writer),
      recording_(writer),
      name_(std::move(name)) {
  writer.clock_snapshot({.monotonic = plant_instant(kBeginNs)});
  recording_.begin(plant_instant(kBeginNs), device, topology);
  recording_.app_on_top(plant_instant(kBeginNs), AppId{1}, name_);
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    recording_.frequency(plant_instant(kBeginNs), c, topology.clusters[c].min_frequency());
  }
}

void RunTrace::slice(double from, double until, std::uint64_t track, std::string_view name) {
  if (until > from) {
    writer_->slice_begin(plant_instant(from), track, name);
    writer_->slice_end(plant_instant(until), track);
  }
}

std::uint64_t RunTrace::tracks_of(std::uint32_t app) {
  const auto known = std::find(apps_.begin(), apps_.end(), app);
  const auto number = static_cast<std::uint64_t>(known - apps_.begin());
  const std::uint64_t first = kFirstTrack + number * kTracks;
  if (known == apps_.end()) {
    apps_.push_back(app);
    const std::string of = number == 0 ? "" : ", app " + std::to_string(number + 1);
    writer_->track(first + kUiThread, 0, "UI thread" + of);
    writer_->track(first + kRenderThread, 0, "RenderThread" + of);
    writer_->track(first + kGpu, 0, "GPU" + of);
    writer_->track(first + kMissed, 0, "missed deadlines" + of);
  }
  return first;
}

void RunTrace::on_frame(const PipelineFrame& frame, FrameVerdict verdict) {
  if (!frame.load.beside) {
    recording_.frame(as_probed(frame, *tables_), name_);
  }
  const std::uint64_t tracks = tracks_of(frame.load.app);
  const std::string name = "frame " + std::to_string(frame.index);
  slice(frame.start, frame.ui_done, tracks + kUiThread, name);
  slice(frame.draw_start, frame.render_done, tracks + kRenderThread, name);
  slice(frame.ready - frame.load.gpu, frame.ready, tracks + kGpu, name);
  if (frame.ready > frame.load.deadline) {
    const char* what = verdict.stuffed ? "stuffed" : verdict.janky ? "missed, janky" : "missed";
    writer_->instant(plant_instant(frame.load.deadline), tracks + kMissed,
                     verdict.feasible ? what : "not feasible");
  }
}

void RunTrace::on_plan(double now, const FrequencyPlan& plan) {
  // Most steps change nothing, and a trace of them all would be mostly that.
  if (plan.clusters == last_plan_.clusters && plan.steps == last_plan_.steps) {
    return;
  }
  last_plan_ = plan;
  recording_.plan(plant_instant(now), plan);
}

void RunTrace::on_frequency(double now, std::size_t cluster, std::uint8_t opp) {
  recording_.frequency(plant_instant(now), cluster,
                       topology_->clusters[cluster].opps[opp].frequency);
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_timeline.h"

namespace framegov::sim {

namespace {

using nlohmann::json;

json mhz_or_null(Frequency frequency) {
  return frequency.count() > 0 ? json(to_mhz(frequency)) : json(nullptr);
}

}  // namespace

RunTimeline::RunTimeline(const CpuTopology& topology, double mcycles_per_ns)
    : topology_(topology), mcycles_per_ns_(mcycles_per_ns) {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    clusters_[c].frequency = topology.clusters[c].min_frequency();
  }
}

void RunTimeline::on_frame(const PipelineFrame& frame, bool /*feasible*/, bool /*janky*/) {
  if (frames_.size() >= kMostFrames) {
    return;
  }
  if (begin_ < 0) {
    begin_ = frame.load.vsync;
  }
  frames_.push_back({ms(frame.load.vsync), (frame.ready - frame.load.vsync) * 1e-6,
                     (frame.load.deadline - frame.load.vsync) * 1e-6,
                     (frame.load.ui_work + frame.load.render_work) * mcycles_per_ns_,
                     frame.ready > frame.load.deadline ? 1 : 0});
}

void RunTimeline::on_plan(double now, const FrequencyPlan& plan) {
  for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
    if (plan.clusters[c] != clusters_[c].limits) {
      clusters_[c].limits = plan.clusters[c];
      add_point(c, now);
    }
  }
}

void RunTimeline::on_frequency(double now, std::size_t cluster, std::uint8_t opp) {
  clusters_[cluster].frequency = topology_.clusters[cluster].opps[opp].frequency;
  add_point(cluster, now);
}

void RunTimeline::add_point(std::size_t cluster, double now) {
  if (begin_ < 0 || frames_.size() >= kMostFrames) {
    return;
  }
  ClusterTrack& track = clusters_[cluster];
  track.t.push_back(ms(now));
  track.cap.push_back(mhz_or_null(track.limits.cap));
  track.floor.push_back(mhz_or_null(track.limits.floor));
  track.current.push_back(mhz_or_null(track.frequency));
}

json RunTimeline::take(const std::string& input, const std::string& device,
                       const std::string& policy) {
  json tracks = json::array();
  for (std::size_t c = 0; c < topology_.clusters.size(); ++c) {
    ClusterTrack& track = clusters_[c];
    if (!track.t.empty()) {
      tracks.push_back({{"name", "policy" + std::to_string(topology_.clusters[c].cpufreq_id)},
                        {"t", std::move(track.t)},
                        {"cap", std::move(track.cap)},
                        {"floor", std::move(track.floor)},
                        {"current", std::move(track.current)}});
    }
  }
  return {{"input", input},
          {"device", device},
          {"policy", policy},
          {"frames", std::move(frames_)},
          {"clusters", std::move(tracks)}};
}

}  // namespace framegov::sim

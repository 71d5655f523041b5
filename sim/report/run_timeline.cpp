// SPDX-License-Identifier: Apache-2.0
#include "sim/report/run_timeline.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/cpu_list.h"

namespace framegov::sim {

namespace {

using nlohmann::json;

constexpr double kTicksPerNs = 1e-4;  // 10 us
constexpr double kWorkSteps = 100;    // per Mcycle

/// Columns of numbers as bytes: each value less the one before it, which zlib finds small.
class DeltaBytes {
 public:
  template <typename Rows, typename Value>
  void add_column(const Rows& rows, Value value) {
    std::int32_t before = 0;
    for (const auto& row : rows) {
      // Half: what lies between two of them fits too.
      constexpr std::int32_t kHalf = std::numeric_limits<std::int32_t>::max() / 2;
      constexpr double kMost = kHalf;
      const auto rounded =
          static_cast<std::int32_t>(std::lround(std::clamp(value(row), -kMost, kMost)));
      const auto delta = static_cast<std::uint32_t>(rounded - before);
      before = rounded;
      for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes_ += static_cast<char>(delta >> shift & 0xffU);
      }
    }
  }

  /// Empty where there is no memory for it.
  [[nodiscard]] std::string deflated() const {
    uLongf size = compressBound(bytes_.size());
    std::string to(size, '\0');
    const int result =
        compress2(reinterpret_cast<Bytef*>(to.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes_.data()), bytes_.size(), Z_BEST_COMPRESSION);
    to.resize(result == Z_OK ? size : 0);
    return to;
  }

 private:
  std::string bytes_;
};

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view group = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (k < group.size() ? static_cast<unsigned char>(group[k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= group.size() ? kDigits[bits >> (18 - 6 * k) & 63U] : '=';
    }
  }
  return text;
}

std::string cluster_name(const Cluster& cluster) {
  return "policy" + std::to_string(cluster.cpufreq_id) + " (CPUs " + cpu_list(cluster.cpus) + ")";
}

}  // namespace

RunTimeline::RunTimeline(const CpuTopology& topology, double mcycles_per_ns)
    : topology_(&topology), mcycles_per_ns_(mcycles_per_ns) {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    tracks_[c].push_back({0, {}, topology.clusters[c].min_frequency()});
  }
}

void RunTimeline::on_frame(const PipelineFrame& frame, FrameVerdict verdict) {
  ++all_frames_;
  if (frames_.size() < kMostFrames) {
    frames_.push_back({.vsync = frame.load.vsync,
                       .generation = frame.ready - frame.load.vsync,
                       .budget = frame.load.deadline - frame.load.vsync,
                       .work = (frame.load.ui_work + frame.load.render_work) * mcycles_per_ns_,
                       .state = verdict.missed() ? 2
                                : verdict.late   ? 1
                                                 : 0});
  }
}

void RunTimeline::on_plan(double now, const FrequencyPlan& plan) {
  for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
    const ClusterPoint& last = tracks_[c].back();
    if (plan.clusters[c] != last.limits) {
      add_point(c, {now, plan.clusters[c], last.frequency});
    }
  }
}

void RunTimeline::on_frequency(double now, std::size_t cluster, std::uint8_t opp) {
  add_point(cluster, {now, tracks_[cluster].back().limits,
                      topology_->clusters[cluster].opps[opp].frequency});
}

void RunTimeline::add_point(std::size_t cluster, const ClusterPoint& point) {
  if (frames_.size() < kMostFrames) {
    tracks_[cluster].push_back(point);
  }
}

json RunTimeline::pack(std::size_t most_bytes) const {
  std::size_t count = frames_.size();
  json packed = first_frames(count);
  while (count > 0) {
    const std::size_t size = packed["packed"].get_ref<const std::string&>().size();
    if (size <= most_bytes) {
      break;
    }
    count = std::min(count - 1, count * most_bytes / size);
    packed = first_frames(count);
  }
  return packed;
}

json RunTimeline::first_frames(std::size_t count) const {
  std::vector<FramePoint> frames(frames_.begin(),
                                 frames_.begin() + static_cast<std::ptrdiff_t>(count));
  // They came in the order in which they ended, which is another where two apps draw.
  std::stable_sort(frames.begin(), frames.end(),
                   [](const FramePoint& a, const FramePoint& b) { return a.vsync < b.vsync; });
  const double begin = frames.empty() ? 0 : frames.front().vsync;
  const double end = frames.empty() ? 0 : frames.back().vsync + frames.back().generation;
  const auto ticks = [&](double time) { return std::max(0.0, time - begin) * kTicksPerNs; };
  DeltaBytes bytes;
  bytes.add_column(frames, [&](const FramePoint& each) { return ticks(each.vsync); });
  bytes.add_column(frames, [](const FramePoint& each) { return each.generation * kTicksPerNs; });
  bytes.add_column(frames, [](const FramePoint& each) { return each.budget * kTicksPerNs; });
  bytes.add_column(frames, [](const FramePoint& each) { return each.work * kWorkSteps; });
  bytes.add_column(frames, [](const FramePoint& each) { return double(each.state); });
  json clusters = json::array();
  for (std::size_t c = 0; c < topology_->clusters.size(); ++c) {
    std::vector<ClusterPoint> points;
    for (const ClusterPoint& each : tracks_[c]) {
      if (!points.empty() && each.time <= begin) {
        points.clear();  // of what was before, the last counts
      }
      if (points.empty() || each.time <= end) {
        points.push_back(each);
      }
    }
    bytes.add_column(points, [&](const ClusterPoint& each) { return ticks(each.time); });
    bytes.add_column(points, [](const ClusterPoint& each) { return to_mhz(each.limits.cap); });
    bytes.add_column(points, [](const ClusterPoint& each) { return to_mhz(each.limits.floor); });
    bytes.add_column(points, [](const ClusterPoint& each) { return to_mhz(each.frequency); });
    clusters.push_back({{"name", cluster_name(topology_->clusters[c])}, {"points", points.size()}});
  }
  return {{"frames", frames.size()},
          {"of", all_frames_},
          {"clusters", std::move(clusters)},
          {"packed", base64(bytes.deflated())}};
}

}  // namespace framegov::sim

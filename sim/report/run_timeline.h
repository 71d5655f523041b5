// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "base/cpu_topology.h"
#include "sim/plant/plant.h"

namespace framegov::sim {

/// Keeps one run's frames and limits for the report's timeline (the shape in report.h). Only the
/// first kMostFrames frames: a page must stay light.
class RunTimeline final : public PlantObserver {
 public:
  static constexpr std::size_t kMostFrames = 2000;

  /// `mcycles_per_ns`: reference cycles in a ns of work, for the work curve.
  RunTimeline(const CpuTopology& topology, double mcycles_per_ns);

  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override;
  void on_plan(double now, const FrequencyPlan& plan) override;
  void on_frequency(double now, std::size_t cluster, std::uint8_t opp) override;

  [[nodiscard]] nlohmann::json take(const std::string& input, const std::string& device,
                                    const std::string& policy);

 private:
  struct ClusterTrack {
    nlohmann::json t = nlohmann::json::array();
    nlohmann::json cap = nlohmann::json::array();
    nlohmann::json floor = nlohmann::json::array();
    nlohmann::json current = nlohmann::json::array();
    ClusterPlan limits;
    Frequency frequency;
  };

  void add_point(std::size_t cluster, double now);
  [[nodiscard]] double ms(double now) const { return (now - begin_) * 1e-6; }

  const CpuTopology& topology_;
  double mcycles_per_ns_;
  double begin_ = -1;
  nlohmann::json frames_ = nlohmann::json::array();
  std::array<ClusterTrack, kMaxClusters> clusters_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/plant/plant.h"

namespace framegov::sim {

/// What all runs' timelines may take of a page together, so that it can be sent: bytes of base64.
inline constexpr std::size_t kMostTimelineBytes = 12U << 20U;

/// Keeps one run's frames and limits for the report's timeline. Only the first kMostFrames frames:
/// a page must stay light.
class RunTimeline final : public PlantObserver {
 public:
  static constexpr std::size_t kMostFrames = 2000;

  /// `mcycles_per_ns`: reference cycles in a ns of work, for the work curve. `topology` must
  /// outlive it.
  RunTimeline(const CpuTopology& topology, double mcycles_per_ns);

  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override;
  void on_plan(double now, const FrequencyPlan& plan) override;
  void on_frequency(double now, std::size_t cluster, std::uint8_t opp) override;

  /// {"frames": how many are kept, "of": how many there were, "clusters": [{"name","points"}],
  /// "packed"}. The last frames are left out until `packed` has at most `most_bytes`.
  ///
  /// `packed` is base64 of zlib of little-endian int32. Column by column, each value less the one
  /// before it: of frames the vsync, generation time and time to the deadline (10 us), the work
  /// (0.01 Mcycles) and 0 in time, 1 late, 2 missed; then of each cluster the time (10 us), cap,
  /// floor (MHz, 0: none) and frequency (MHz). Times count from the vsync of the first frame.
  [[nodiscard]] nlohmann::json pack(std::size_t most_bytes) const;

 private:
  struct FramePoint {
    double vsync = 0;  ///< ns, as all times here
    double generation = 0;
    double budget = 0;
    double work = 0;  ///< Mcycles
    int state = 0;
  };
  struct ClusterPoint {
    double time = 0;
    ClusterPlan limits;
    Frequency frequency;
  };

  void add_point(std::size_t cluster, const ClusterPoint& point);
  [[nodiscard]] nlohmann::json first_frames(std::size_t count) const;

  const CpuTopology* topology_;
  double mcycles_per_ns_;
  std::size_t all_frames_ = 0;
  std::vector<FramePoint> frames_;
  std::array<std::vector<ClusterPoint>, kMaxClusters> tracks_;  ///< each change; never empty
};

}  // namespace framegov::sim

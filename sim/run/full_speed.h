// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sim/run/replay.h"

namespace framegov::sim {

/// Which frames of a scene are late by themselves although every cluster runs at its top
/// throughout: where a kernel places threads no limit can help those. Found when first asked for;
/// shared by threads.
class FullSpeed {
 public:
  /// Each app's frames in the order in which they end, late or not.
  using Late = std::vector<std::vector<bool>>;

  /// `scene` must outlive it and be the same each time.
  [[nodiscard]] const Late& late(const ReplayScene& scene, const ReplaySettings& settings);

 private:
  std::once_flag once_;
  Late late_;
};

/// Finds a run's misses of deadlines that full speed meets in the same world.
class AvoidableMisses final : public PlantObserver {
 public:
  explicit AvoidableMisses(const FullSpeed::Late& full_speed)
      : full_speed_(&full_speed), next_(full_speed.size()) {}
  /// Whether this frame is one. Takes each frame once, in the order in which they end.
  [[nodiscard]] bool is_avoidable(const PipelineFrame& frame, FrameVerdict verdict);
  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override {
    count_ += is_avoidable(frame, verdict) ? 1U : 0U;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  const FullSpeed::Late* full_speed_;
  std::vector<std::size_t> next_;  ///< by app: how many of its frames have ended
  std::uint64_t count_ = 0;
};

/// replay(), with RunResult::avoidable known where the world moves threads, too. `full_speed` is
/// that of `scene` and `settings`.
[[nodiscard]] RunResult replay_beside(FullSpeed& full_speed, const ReplayScene& scene,
                                      const PolicyEntry& policy, const ReplaySettings& settings);

}  // namespace framegov::sim

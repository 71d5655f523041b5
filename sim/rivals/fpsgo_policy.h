// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "policy/policy.h"
#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

/// MediaTek's FPSGO as its behaviour is described, three layers that give a floor (uclamp.min of
/// the critical threads) in parts of the top speed:
///
/// 1. Predict: the last frame's load over its target time.
/// 2. Correct: the quota, target time less the time between buffers over the last second's frames,
///    moves a correction by +5 % at most every 0.25 s, by -10 % at most every second.
/// 3. Rescue: 25 % of the top more from 33 % of the period before the next vsync on, if the frame
///    is not done by then.
///
/// Left open there and chosen here: a quota that lacks half a target time raises, any other lowers;
/// the correction is 0 to 100 %; a late frame whose threads ran for less than half of it was not
/// the CPU's and raises nothing, which stands for the filters of GPU and queue. Floors go after
/// four periods without a frame. The stronger second rescue and the learners are not in it, nor is
/// uclamp.max. Where the kernel has no clamps the clusters of the last frame get the floor.
class FpsgoPolicy final : public Policy {
 public:
  explicit FpsgoPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return frames_.still_at(); }
  [[nodiscard]] std::string_view name() const override { return "fpsgo"; }

  /// What is added to the prediction, 0 to 1.
  [[nodiscard]] double correction() const { return correction_; }

 private:
  void on_frame(const PolicyInput& input);
  void correct(Instant now, bool cpu_bound);
  /// Seconds that the last second's frames had to spare.
  [[nodiscard]] double quota() const;

  CpuTopology topology_;
  EngineFrames frames_;
  Work load_;
  double correction_ = 0;
  static constexpr std::size_t kMostFrames = 256;
  std::array<double, kMostFrames> spare_{};  ///< target time less time between buffers, s: a ring
  std::size_t frames_seen_ = 0;
  Instant last_buffer_;
  Instant next_up_;
  Instant next_down_;
  std::uint32_t clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

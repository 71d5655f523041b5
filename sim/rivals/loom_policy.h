// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "policy/policy.h"
#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

/// MediaTek's loom as its behaviour is described: each named thread's load, its running time over
/// the time between frames (a window of one frame), is held between two bounds by steps of one OPP,
/// which its cluster gets as minimum and maximum. A first timer within the frame raises the minimum
/// by some OPPs and the maximum to the top; a second goes to the top OPP.
///
/// Left open there (the law itself is closed) and chosen here: the threads are UI thread and
/// RenderThread, the bounds 40 and 60 %, the timers at 75 and 100 % of the expected frame time, the
/// first of two OPPs. The busier thread of a cluster decides. A pause of over four periods is no
/// time between frames, and ends what was asked for.
class LoomPolicy final : public Policy {
 public:
  explicit LoomPolicy(const CpuTopology& topology);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return frames_.still_at(); }
  [[nodiscard]] std::string_view name() const override { return "loom"; }

  /// The OPP that `cluster` is held to.
  [[nodiscard]] std::size_t opp(std::size_t cluster) const { return opps_[cluster]; }

 private:
  void on_frame(const Frame& frame);
  void plan_rescue();

  CpuTopology topology_;
  EngineFrames frames_;
  Instant last_ready_;
  std::array<std::size_t, kMaxClusters> opps_{};
  std::uint32_t clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

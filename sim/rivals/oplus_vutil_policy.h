// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"
#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

/// OPLUS frame_boost as its behaviour is described: from a frame's start its virtual utilisation
/// grows along a parabola, v(t) = t (t + 1024 / T - T) in whole ms, to 1024 at T, the period plus a
/// margin. Frequency follows the larger of that and the real one, the time that the frame's threads
/// ran over the period. The window ends with the frame or after two periods.
///
/// Left open there and chosen here: the margin (1 ms), schedutil's 1.25 above the utilisation, and
/// the real utilisation of the last frame in place of this one's, which is not known while it runs.
/// A plan has ten steps for all clusters, so the parabola is followed every 2 to 4 ms, as a kernel
/// of 250 ticks a second does.
class OplusVutilPolicy final : public Policy {
 public:
  explicit OplusVutilPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return window_until_; }
  [[nodiscard]] std::string_view name() const override { return "oplus-vutil"; }

  /// Of 1024, `t` ms into a frame that ends at `end` ms.
  [[nodiscard]] static int virtual_util(int t, int end);

 private:
  void plan_frame();

  CpuTopology topology_;
  FramesUnderWay frames_;
  Instant window_until_;  ///< zero outside of a frame
  Duration period_ = std::chrono::microseconds{16'667};
  int real_util_ = 0;
  std::uint32_t clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

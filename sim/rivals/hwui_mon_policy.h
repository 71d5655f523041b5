// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"

namespace framegov::sim {

/// The first in-kernel frame monitor as a policy: it knows the UI part of each frame's generation
/// time, calls a frame at or over 48 % of the interval jank (4000 us at 120 Hz), lifts the cap for
/// ten frames then, and otherwise steps one OPP down every thirty good frames.
class HwuiMonPolicy final : public Policy {
 public:
  explicit HwuiMonPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "hwui-mon"; }

 private:
  static constexpr double kJankPart = 0.48;
  static constexpr int kLiftedFrames = 10;
  static constexpr int kGoodFrames = 30;

  CpuTopology topology_;
  std::size_t steps_down_ = 0;
  int lifted_ = 0;
  int good_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

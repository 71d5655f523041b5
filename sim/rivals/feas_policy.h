// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "policy/policy.h"

namespace framegov::sim {

/// FEAS as third parties report it, on frame intervals: one over 170 % of the target raises one to
/// five levels, a sum of five over 5.38 periods raises one, a sum under 5.05 that holds lowers one.
/// Not reported, so chosen here: a level is an OPP of every cluster, floor and cap together; each
/// half period over 170 % is one more level of rescue; "holds" is five frames in a row.
class FeasPolicy final : public Policy {
 public:
  explicit FeasPolicy(const CpuTopology& topology);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "feas"; }

 private:
  void on_interval(double periods);

  static constexpr std::size_t kWindow = 5;
  static constexpr int kHold = 5;

  CpuTopology topology_;
  int deepest_;  ///< most steps that any cluster can go down
  int steps_down_ = 0;
  Instant last_;
  std::array<double, kWindow> periods_{};
  std::size_t seen_ = 0;
  int held_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"

namespace framegov::sim {

/// yumi: a PID on queueBuffer intervals whose output is one performance number for all clusters,
/// mapped linearly to each OPP range, floor and cap together. Its described gains are used as they
/// stand; left open there and chosen here: both low-pass factors (0.2, 0.5), the leak (0.8), and
/// the use of the busier frame thread as "util".
class YumiPolicy final : public Policy {
 public:
  explicit YumiPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "yumi"; }

  /// The performance number in force, 0.22 to 1.
  [[nodiscard]] double performance() const { return performance_; }

 private:
  void on_interval(double ms, double target_fps, double use);

  CpuTopology topology_;
  Instant last_;
  double performance_ = 0.45;
  double mean_ms_ = 0;
  double integral_ = 0;
  double slope_ = 0;
  double last_error_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>

#include "policy/policy.h"

namespace framegov::sim {

/// Android's ADPF PowerHintSession as Pixel's libperfmgr runs it (Panther's numbers): a PID in
/// 100 us units on reported durations against the target sets uclamp.min of the session's threads:
/// a floor, never a cap; where the kernel has no clamps the clusters of its last frame get it.
/// Reported here: each frame's generation time against its budget, windows of one report. A uclamp
/// of u raises schedutil to 1.25 u / 1024 of the top frequency.
class AdpfPolicy final : public Policy {
 public:
  explicit AdpfPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return stale_at_; }
  [[nodiscard]] std::string_view name() const override { return "adpf"; }

  /// uclamp.min in force, of 1024; 0 when the session is stale or has not begun.
  [[nodiscard]] int uclamp_min() const { return uclamp_min_; }

 private:
  void on_report(Duration actual, Duration target);

  static constexpr std::size_t kRecords = 300;

  CpuTopology topology_;
  int uclamp_min_ = 0;
  long last_error_ = 0;
  bool has_last_error_ = false;
  Instant stale_at_;
  std::bitset<kRecords> misses_;
  std::size_t reports_ = 0;
  bool boosted_ = false;
  std::uint32_t frame_clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"

namespace framegov::sim {

/// A governor in uperf's manner, as far as it is described: it sees load, not frames.
/// demand = load + (1 - load)(margin + burst), a burst for a second after each touch, and an energy
/// bucket: while it holds, the short-term power limit applies, then the long-term one. Load here is
/// the busier frame thread's share of the time since the last sample; margin 0.25, burst 0.2,
/// limits as parts of the performance range (1.0 short, 0.8 long, five seconds of excess) are
/// chosen.
class UperfPolicy final : public Policy {
 public:
  explicit UperfPolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return next_sample_; }
  [[nodiscard]] std::string_view name() const override { return "uperf"; }

  [[nodiscard]] double demand() const { return demand_; }

 private:
  void sample(Instant now);

  CpuTopology topology_;
  Instant last_sample_;
  Instant next_sample_;
  Instant burst_until_;
  Duration busy_{};
  double demand_ = 1;
  double bucket_s_ = 5;  ///< seconds of performance above the long-term limit that are left
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

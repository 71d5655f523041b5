// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "policy/policy.h"

namespace framegov::sim {

/// fas-rs 4.9.1 in its "balance" mode, from a description of its law: a proportional step on the
/// interval of queueBuffer calls against a detected target, one frequency for all clusters, the one
/// with the critical threads pinned to it. It begins about four seconds after the target is known
/// and starts over when the target changes. The thermal term needs a temperature; a cool device is
/// assumed, where it has no effect. "util" is the busier frame thread's.
class FasRsPolicy final : public Policy {
 public:
  explicit FasRsPolicy(const CpuTopology& topology);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return next_tick_; }
  [[nodiscard]] std::string_view name() const override { return "fas-rs"; }

  /// Target fps in force; 0 while none is known.
  [[nodiscard]] int target_fps() const { return target_; }
  [[nodiscard]] bool controlling() const { return controlling_; }

 private:
  void add_interval(const Frame& frame, Instant now);
  void detect_target(Instant now);
  void control(Instant now);
  [[nodiscard]] double long_fps(Instant now) const;
  [[nodiscard]] std::size_t capacity() const;
  [[nodiscard]] FrequencyPlan plan() const;

  CpuTopology topology_;
  Frequency top_;                  ///< highest frequency of any cluster
  Frequency command_;              ///< one frequency for all
  std::vector<double> intervals_;  ///< seconds, a ring
  std::size_t newest_ = 0;
  std::size_t stored_ = 0;
  Instant last_frame_;
  Instant buffer_began_;
  Instant usable_since_;
  Instant next_target_check_;
  Instant next_util_check_;
  Instant next_tick_;
  int target_ = 0;
  bool controlling_ = false;
  double last_interval_ = 0;
  double util_offset_ = 0;
  double util_ = -1;
  double util_peak_ = 0;
  int cluster_ = -1;
  Frequency fastest_current_;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/cpu_topology.h"
#include "policy/policy.h"

namespace framegov::sim {

/// What a phone does without framegov: one plan for good.
class FixedPolicy final : public Policy {
 public:
  enum class Kind : std::uint8_t {
    kSchedutil,    ///< asks for nothing: the kernel's governor alone
    kPerformance,  ///< every cluster at its top
    kPowersave,    ///< every cluster at its lowest
  };
  FixedPolicy(Kind kind, const CpuTopology& topology);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput&) override { return plan_; }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return name_; }

 private:
  FrequencyPlan plan_;
  std::string_view name_;
};

/// What phones ship: schedutil, and on every touch and every burst of frames after a pause a floor
/// of 60 % of the top frequency on all clusters for 500 ms.
class BoostPolicy final : public Policy {
 public:
  explicit BoostPolicy(const CpuTopology& topology);

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return boost_until_; }
  [[nodiscard]] std::string_view name() const override { return "schedutil-boost"; }

 private:
  FrequencyPlan idle_;
  FrequencyPlan boosted_;
  Instant boost_until_;  ///< zero while not boosted
  Instant last_frame_;
};

}  // namespace framegov::sim

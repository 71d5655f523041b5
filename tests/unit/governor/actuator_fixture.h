// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/saved_limits.h"
#include "tests/support/cpufreq_kernel.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov {

inline constexpr const char* kMax = "scaling_max_freq";
inline constexpr const char* kMin = "scaling_min_freq";

/// A phone whose cpufreq behaves as the kernel's; policy4 is the one that tests move.
class ActuatorFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    auto log = Log::open(LogLevel::kInfo, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
  }

  void make_actuator() {
    auto governed = test::govern_tree(tree_.root(), folder_.path() / "state", "this-boot", *log_);
    ASSERT_TRUE(governed) << governed.error().to_string();
    actuator_ = std::move(governed->actuator);
  }

  static ClusterPlans plan(std::int64_t cap_khz, std::int64_t floor_khz = 0) {
    ClusterPlans plans;
    plans.resize(3);
    plans[1] = {khz(cap_khz), khz(floor_khz)};
    return plans;
  }
  void apply(const ClusterPlans& plans) { actuator_->apply(plans, now_); }
  void look(Duration after = std::chrono::milliseconds{200}) {
    now_ += after;
    actuator_->refresh(now_);
  }

  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }
  [[nodiscard]] std::filesystem::path saved_file() const {
    return folder_.path() / "state" / kSavedLimitsFile;
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  test::CpufreqKernel kernel_{tree_, test::phone_policies()};
  std::unique_ptr<Log> log_;
  std::unique_ptr<Actuator> actuator_;
  Instant now_ = instant_from_ns(1'000'000'000);
};

}  // namespace framegov

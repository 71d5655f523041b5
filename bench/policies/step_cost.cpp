// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/step_cost.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "tests/support/allocation_counter.h"

namespace framegov::sim {

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

/// Hands every call on and keeps how long it took.
class TimedPolicy final : public Policy {
 public:
  TimedPolicy(std::unique_ptr<Policy> inner, std::vector<double>& times, std::uint64_t& allocated)
      : inner_(std::move(inner)), times_(&times), allocated_(&allocated) {}

  const FrequencyPlan& step(const PolicyInput& input) override {
    const std::uint64_t before = test::allocations();
    const auto began = Clock::now();
    const FrequencyPlan& plan = inner_->step(input);
    const auto ended = Clock::now();
    *allocated_ += test::allocations() - before;
    times_->push_back(nanoseconds(ended - began));
    return plan;
  }
  [[nodiscard]] Instant wake_at() const override { return inner_->wake_at(); }
  [[nodiscard]] std::string_view name() const override { return inner_->name(); }

 private:
  std::unique_ptr<Policy> inner_;
  std::vector<double>* times_;
  std::uint64_t* allocated_;
};

double quantile(const std::vector<double>& sorted, double q) {
  return sorted.empty()
             ? 0
             : sorted[static_cast<std::size_t>(q * (static_cast<double>(sorted.size()) - 1))];
}

/// What two readings of the clock and nothing between them take.
double clock_cost() {
  std::vector<double> times(10'000);
  for (double& each : times) {
    const auto began = Clock::now();
    each = nanoseconds(Clock::now() - began);
  }
  std::sort(times.begin(), times.end());
  return quantile(times, 0.5);
}

}  // namespace

StepCost step_cost(const ReplayScene& scene, const PolicyEntry& policy,
                   const ReplaySettings& settings) {
  std::vector<double> least;
  std::vector<double> times;
  times.reserve(4'000'000);
  std::uint64_t allocated = 0;
  PolicyEntry timed = policy;
  timed.make = [&](const CpuTopology& topology, const PolicySettings& each) {
    return std::make_unique<TimedPolicy>(policy.make(topology, each), times, allocated);
  };
  for (int i = 0; i < kStepReplays; ++i) {
    times.clear();
    (void)replay(scene, timed, settings);
    if (least.empty()) {
      least = times;
    }
    std::transform(times.begin(), times.end(), least.begin(), least.begin(),
                   [](double a, double b) { return std::min(a, b); });
  }
  std::sort(least.begin(), least.end());
  const double clock = clock_cost();
  const auto at = [&](double q) { return std::max(0.0, quantile(least, q) - clock); };
  return {at(0.50), at(0.99), at(0.999), static_cast<double>(allocated)};
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/uperf_policy.h"

#include <algorithm>

#include "sim/rivals/uniform_plan.h"

namespace framegov::sim {

namespace {

constexpr Duration kPeriod = std::chrono::milliseconds{40};
constexpr double kMargin = 0.25;
constexpr double kBurst = 0.2;
constexpr double kLongLimit = 0.8;
constexpr double kBucketSeconds = 5;

}  // namespace

void UperfPolicy::sample(Instant now) {
  const double elapsed = to_seconds(now - last_sample_);
  const double load = std::clamp(to_seconds(busy_) / elapsed, 0.0, 1.0);
  // The load was seen at the present performance: in parts of the top it is that much less.
  const double absolute = load * demand_;
  const double burst = now < burst_until_ ? kBurst : 0.0;
  const double wanted = std::min(1.0, absolute + (1 - absolute) * (kMargin + burst));
  demand_ = bucket_s_ > 0 ? wanted : std::min(wanted, kLongLimit);
  bucket_s_ = std::clamp(bucket_s_ - elapsed * (demand_ - kLongLimit), 0.0, kBucketSeconds);
  busy_ = Duration{};
  last_sample_ = now;
}

const FrequencyPlan& UperfPolicy::step(const PolicyInput& input) {
  if (input.event == PolicyEvent::kTouch) {
    burst_until_ = input.now + std::chrono::seconds{1};
  } else if (input.event == PolicyEvent::kFrameEnd) {
    busy_ += std::max(input.frame->ui_cpu_time, input.frame->render_cpu_time);
  }
  if (!is_known(last_sample_)) {
    last_sample_ = input.now;
    next_sample_ = input.now + kPeriod;
  } else if (input.now >= next_sample_) {
    sample(input.now);
    next_sample_ = input.now + kPeriod;
  }
  plan_ = plan_at_part(topology_, demand_, /*pinned=*/false);
  return plan_;
}

}  // namespace framegov::sim

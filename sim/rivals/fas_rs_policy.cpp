// SPDX-License-Identifier: Apache-2.0
#include "sim/rivals/fas_rs_policy.h"

#include <algorithm>
#include <array>

#include "sim/rivals/uniform_plan.h"

namespace framegov::sim {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::array<int, 6> kTargets = {30, 45, 60, 90, 120, 144};
constexpr double kMarginFps = 1.0;
constexpr std::size_t kUnknownTargetBuffer = 720;
constexpr std::size_t kLeastSamples = 60;
constexpr double kStepKhz = 300'000;
constexpr Frequency kSpread = mhz(100);

}  // namespace

FasRsPolicy::FasRsPolicy(const CpuTopology& topology)
    : topology_(topology), intervals_(kUnknownTargetBuffer) {
  for (const Cluster& cluster : topology_.clusters) {
    top_ = std::max(top_, cluster.max_frequency());
  }
  command_ = top_;
}

std::size_t FasRsPolicy::capacity() const {
  return target_ > 0
             ? std::min<std::size_t>(5 * static_cast<std::size_t>(target_), kUnknownTargetBuffer)
             : kUnknownTargetBuffer;
}

double FasRsPolicy::long_fps(Instant now) const {
  double sum = is_known(last_frame_) ? to_seconds(now - last_frame_) : 0.0;
  const std::size_t count = std::min(stored_, capacity());
  for (std::size_t i = 0; i < count; ++i) {
    sum += intervals_[(newest_ + kUnknownTargetBuffer - i) % kUnknownTargetBuffer];
  }
  return sum > 0 ? static_cast<double>(count) / sum : 0.0;
}

void FasRsPolicy::add_interval(const Frame& frame, Instant now) {
  if (is_known(last_frame_)) {
    last_interval_ = to_seconds(frame.ready - last_frame_);
    newest_ = (newest_ + 1) % kUnknownTargetBuffer;
    intervals_[newest_] = last_interval_;
    stored_ = std::min(stored_ + 1, kUnknownTargetBuffer);
  }
  if (!is_known(buffer_began_)) {
    buffer_began_ = now;
  }
  last_frame_ = frame.ready;
  cluster_ = frame.cluster;
  util_peak_ = std::max(util_peak_, heaviest_thread_use(frame, frame.interval));
}

void FasRsPolicy::detect_target(Instant now) {
  if (now < next_target_check_ || stored_ < kLeastSamples) {
    return;
  }
  next_target_check_ = now + milliseconds{100};
  const double fps = long_fps(now);
  int target = kTargets.back();
  if (fps < std::max(kTargets.front() - 10, 10)) {
    target = 0;
  } else {
    for (const int listed : kTargets) {
      if (fps <= listed + 3) {
        target = listed;
        break;
      }
    }
  }
  if (target != target_) {
    target_ = target;
    stored_ = 0;
    buffer_began_ = now;
    usable_since_ = Instant{};
    controlling_ = false;
  }
}

void FasRsPolicy::control(Instant now) {
  if (target_ == 0) {
    controlling_ = false;
    return;
  }
  const bool usable = stored_ >= capacity() && now - buffer_began_ >= seconds{1};
  if (!usable) {
    return;
  }
  if (!is_known(usable_since_)) {
    usable_since_ = now;
  }
  controlling_ = now - usable_since_ >= seconds{3};
  if (!controlling_) {
    return;
  }
  if (now >= next_util_check_) {
    next_util_check_ = now + seconds{1};
    util_ = util_peak_;
    util_peak_ = 0;
    if (util_ <= 0.10) {
      util_offset_ = 0;
    } else if (util_ <= 0.55) {
      util_offset_ -= 0.1;
    } else if (util_ >= 0.65) {
      util_offset_ += 0.1;
    }
    util_offset_ = std::clamp(util_offset_, -3.0, 0.0);
  }
  const double target = target_;
  const double margin = target / 60 * kMarginFps;
  const double longest = std::max(to_seconds(now - last_frame_), last_interval_);
  const double x = longest * (target + util_offset_ - margin);
  const double khz_step = kStepKhz * (x - 1);
  Frequency wanted = command_ + Frequency{static_cast<std::int64_t>(khz_step)};
  wanted = std::clamp(wanted, Frequency{}, top_);
  const bool jank = long_fps(now) < target - 2;
  if (!jank && util_ > 0 && fastest_current_.count() > 0) {
    wanted = std::min(wanted, fastest_current_ * (util_ / 0.5));
  }
  command_ = wanted;
}

FrequencyPlan FasRsPolicy::plan() const {
  if (!controlling_) {
    return FrequencyPlan::uncapped(topology_.clusters.size(), ReasonCode::kFixed);
  }
  FrequencyPlan plan;
  plan.reason.code = ReasonCode::kFixed;
  plan.clusters.resize(topology_.clusters.size());
  Frequency highest;
  std::array<Frequency, kMaxClusters> own{};
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    const Cluster& cluster = topology_.clusters[i];
    own[i] = std::clamp(command_, cluster.min_frequency(), cluster.max_frequency());
    highest = std::max(highest, own[i]);
  }
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    const Cluster& cluster = topology_.clusters[i];
    const Frequency near = std::clamp(std::max(own[i], highest - kSpread), cluster.min_frequency(),
                                      cluster.max_frequency());
    const Frequency chosen = cluster.opps[cluster.opp_at_most(near)].frequency;
    plan.clusters[i] = {chosen, static_cast<int>(i) == cluster_ ? chosen : Frequency{}};
  }
  return plan;
}

const FrequencyPlan& FasRsPolicy::step(const PolicyInput& input) {
  for (const Frequency current : input.current) {
    fastest_current_ = std::max(fastest_current_, current);
  }
  if (input.event == PolicyEvent::kFrameEnd) {
    add_interval(*input.frame, input.now);
  }
  if (input.event == PolicyEvent::kFrameEnd || input.event == PolicyEvent::kTimer) {
    detect_target(input.now);
    control(input.now);
    next_tick_ = input.now + milliseconds{100};
    fastest_current_ = Frequency{};
  }
  plan_ = plan();
  return plan_;
}

}  // namespace framegov::sim

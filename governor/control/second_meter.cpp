// SPDX-License-Identifier: Apache-2.0
#include "governor/control/second_meter.h"

#include <algorithm>

namespace framegov {

namespace {

constexpr Duration kSecond = std::chrono::seconds{1};

}  // namespace

SecondMeter::SecondMeter(const CpuTopology& topology) {
  for (const Cluster& cluster : topology.clusters) {
    limits_.push_back({cluster.min_frequency(), cluster.max_frequency(), cluster.max_frequency(),
                       cluster.min_frequency()});
  }
}

std::optional<SecondRecord> SecondMeter::advance(Instant now) {
  const Instant second = now - (now.time_since_epoch() % kSecond);
  if (second <= open_.begin) {
    integrate(now);
    return std::nullopt;
  }
  integrate(open_.begin + kSecond);
  const SecondRecord closed = open_;
  begin(second);
  integrate(now);
  return closed.frames > 0 ? std::optional(closed) : std::nullopt;
}

void SecondMeter::begin(Instant at) {
  open_ = SecondRecord{};
  open_.begin = at;
  integrated_ = at;
  for (const Limits& limits : limits_) {
    ClusterSecond cluster;
    cluster.cap.add(limits.cap);
    cluster.floor.add(limits.floor);
    open_.clusters.push_back(cluster);
  }
}

void SecondMeter::integrate(Instant until) {
  const Duration time = std::max(until - integrated_, Duration{});
  for (std::size_t i = 0; i < open_.clusters.size(); ++i) {
    open_.clusters[i].cap_khz_seconds +=
        static_cast<double>(limits_[i].cap.count()) * to_seconds(time);
  }
  open_.seen += time;
  integrated_ = std::max(integrated_, until);
}

void SecondMeter::add_frame(const Frame& frame, const FrameRecord& record, std::string_view app) {
  open_.app = AppText(app);
  open_.shortest =
      open_.frames == 0 ? record.generation : std::min(open_.shortest, record.generation);
  open_.longest = std::max(open_.longest, record.generation);
  open_.total += record.generation;
  open_.budget = record.budget;
  ++open_.frames;
  open_.late += record.late() ? 1U : 0U;
  const auto cluster = static_cast<std::size_t>(std::max<int>(frame.cluster, 0));
  if (frame.cluster >= 0 && cluster < open_.clusters.size() && frame.frequency > Frequency{}) {
    open_.clusters[cluster].speed.add(frame.frequency);
  }
}

void SecondMeter::add_plan(const StaticVector<ClusterPlan, kMaxClusters>& plan, ReasonCode reason) {
  open_.raised += reason == ReasonCode::kRescue ? 1U : 0U;
  for (std::size_t i = 0; i < std::min(plan.size(), limits_.size()); ++i) {
    Limits& limits = limits_[i];
    limits.cap = plan[i].cap > Frequency{} ? plan[i].cap : limits.top;
    limits.floor = std::max(plan[i].floor, limits.low);
    if (i < open_.clusters.size()) {
      open_.clusters[i].cap.add(limits.cap);
      open_.clusters[i].floor.add(limits.floor);
    }
  }
}

}  // namespace framegov

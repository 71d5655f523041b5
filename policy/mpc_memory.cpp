// SPDX-License-Identifier: Apache-2.0
// What MpcPolicy learns of an app's work, keeps and forgets.
#include <algorithm>
#include <cmath>

#include "policy/mpc_policy.h"

namespace framegov {

namespace {

/// So many frames tell enough of an app to be kept.
constexpr std::uint64_t kEnoughToKeep = 600;
/// No frame worth governing waits longer, seconds.
constexpr double kMostFixed = 0.1;

/// Where the first frames after a still screen have this much more work than others at this
/// quantile, the others are not to be ready for it.
constexpr double kHeavyBeginning = 2;
constexpr double kHeavyQuantile = 0.75;
constexpr std::size_t kEnoughToCompare = 32;
}  // namespace

void MpcPolicy::forget() {
  began_late_ = nullptr;
  beginning_ = Phase(settings_.eps);
  going_ = Phase(settings_.eps);
  tail_ = WorkTail(settings_.eps);
  mean_work_ = 0;
  fixed_s_ = 0;
  ui_share_ = 0;
  asleep_ = 0;
  frames_ = 0;
  last_hitch_ = 0;
  late_by_luck_ = 0;
}

double MpcPolicy::work_of(const Frame& frame, double ran, Speed speed) const {
  const auto& split = activity_.split();
  const double cpu = to_seconds(frame.ui_cpu_time + frame.render_cpu_time);
  if (!split || cpu <= 0) {
    return ran * speed.count();
  }
  const auto& clusters = allocation_.topology().clusters;
  const double at_top =
      to_seconds(frame.ui_cpu_time) * clusters[split->ui].max_speed().count() +
      to_seconds(frame.render_cpu_time) * clusters[split->render].max_speed().count();
  return at_top * (speed / clusters[activity_.cluster()].max_speed()) * (ran / cpu);
}

double MpcPolicy::ui_part(const Frame& frame) const {
  const auto& split = activity_.split();
  const auto& clusters = allocation_.topology().clusters;
  const double ui = to_seconds(frame.ui_cpu_time);
  const double render =
      to_seconds(frame.render_cpu_time) *
      (split ? clusters[split->render].max_speed() / clusters[split->ui].max_speed() : 1.0);
  return ui / (ui + render);
}

double MpcPolicy::weight() const {
  const auto& split = activity_.split();
  if (!split) {
    return 1;
  }
  const auto& clusters = allocation_.topology().clusters;
  const Speed top = clusters[activity_.cluster()].max_speed();
  return ui_share_ * (top / clusters[split->ui].max_speed()) +
         (1 - ui_share_) * (top / clusters[split->render].max_speed());
}

void MpcPolicy::learn_work(double work, bool hitch) {
  const bool unusual = hitch && frames_ - last_hitch_ > kSeldom;
  last_hitch_ = hitch ? frames_ : last_hitch_;
  if (!launching_ && !unusual) {
    phase().work.add(Work{work});
    if (&phase() == &going_ || !beginnings_are_heavy() || work <= going_.work.largest().count()) {
      tail_.add(Work{work});
    }
    mean_work_ = mean_work_ <= 0 ? work : mean_work_ + kMeanWeight * (work - mean_work_);
  }
  launching_ = false;
}

bool MpcPolicy::beginnings_are_heavy() const {
  return going_.work.size() >= kEnoughToCompare &&
         beginning_.work.quantile(kHeavyQuantile) >
             going_.work.quantile(kHeavyQuantile) * kHeavyBeginning;
}

std::optional<Learned> MpcPolicy::learned() const {
  if (frames_ < kEnoughToKeep) {
    return std::nullopt;
  }
  Learned learned{.frames = frames_,
                  .eps = settings_.eps,
                  .beginning_margin = beginning_.margin.level(),
                  .going_margin = going_.margin.level(),
                  .fixed_s = fixed_s_,
                  .beginning_work = {}};
  const std::size_t works = std::min(beginning_.work.size(), Learned::kMostWorks);
  for (std::size_t i = 1; i <= works; ++i) {
    const double q = static_cast<double>(i) / static_cast<double>(works);
    learned.beginning_work.push_back(beginning_.work.quantile(q).count());
  }
  return learned;
}

void MpcPolicy::recall(const Learned& learned) {
  if (learned.eps != settings_.eps) {
    return;  // its margins aim at something else
  }
  frames_ = learned.frames;
  beginning_.margin.set_level(learned.beginning_margin);
  going_.margin.set_level(learned.going_margin);
  if (learned.fixed_s >= 0 && learned.fixed_s <= kMostFixed) {
    fixed_s_ = learned.fixed_s;
  }
  for (const double work : learned.beginning_work) {
    if (work > 0 && std::isfinite(work)) {
      beginning_.work.add(Work{work});
    }
  }
}

}  // namespace framegov

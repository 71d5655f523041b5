// SPDX-License-Identifier: Apache-2.0
// What MpcPolicy keeps of an app, and forgets.
#include <algorithm>
#include <cmath>

#include "policy/mpc_policy.h"

namespace framegov {

namespace {

/// So many frames tell enough of an app to be kept.
constexpr std::uint64_t kEnoughToKeep = 600;
/// No frame worth governing waits longer, seconds.
constexpr double kMostFixed = 0.1;

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

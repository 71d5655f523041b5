// SPDX-License-Identifier: Apache-2.0
#include "policy/work_tail.h"

#include <algorithm>
#include <cmath>

namespace framegov {

namespace {

/// With the reach for one work less to begin from, Newton's steps are within 1 % after these.
constexpr int kRounds = 3;
/// No further beyond the largest, in spacings, however few works are known.
constexpr double kFarthest = 20;
/// So many times the next smaller work, of so many, is of another kind; works of its kind are
/// planned for up to so many times the largest seen.
constexpr double kGap = 1.3;
constexpr std::size_t kEnoughToTell = 64;
constexpr double kBeyondApart = 1.1;
/// One that is so many times all the others is nothing to be ready for until there are two.
constexpr double kOnce = 2;

}  // namespace

void WorkTail::add(Work work) {
  const std::size_t before = window_.size();
  window_.add(work);
  if (window_.size() != before) {
    find_reach();
  }
  bound_ = find_bound();
}

std::size_t WorkTail::largest() const { return std::min(kLargest, window_.size()); }

void WorkTail::find_reach() {
  const double wanted = -std::log(eps_ * static_cast<double>(window_.size() + 1));
  if (wanted <= 0 || largest() < 2) {
    reach_ = 0;
    return;
  }
  for (int round = 0; round < kRounds; ++round) {
    double sum = -wanted;
    double slope = 0;
    for (std::size_t i = 2; i <= largest(); ++i) {
      const double rank = static_cast<double>(i);
      sum += std::log1p(reach_ / rank);
      slope += 1 / (rank + reach_);
    }
    reach_ = std::clamp(reach_ - sum / slope, 0.0, kFarthest);
  }
}

Work WorkTail::find_bound() const {
  const auto works = window_.sorted();
  if (works.empty()) {
    return Work{};
  }
  const double rank = eps_ * static_cast<double>(works.size() + 1);
  if (rank >= 1) {
    return Work{works[works.size() - std::min(static_cast<std::size_t>(rank), works.size())]};
  }
  const std::size_t apart = set_apart(works);
  const std::size_t rest = works.size() - apart;
  const double top = works[rest - 1];
  const double beyond = top + reach_ * (top - works[rest - std::min(largest(), rest)]);
  const bool once = apart == 1 && works.back() > kOnce * top;
  return Work{apart == 0 || once ? beyond : std::max(beyond, kBeyondApart * works.back())};
}

std::size_t WorkTail::set_apart(std::span<const double> works) const {
  if (works.size() < kEnoughToTell) {
    return 0;
  }
  std::size_t apart = 0;
  double widest = kGap;
  for (std::size_t i = 1; i < largest(); ++i) {
    const std::size_t above = works.size() - i;
    if (works[above] > widest * works[above - 1]) {
      widest = works[above] / works[above - 1];
      apart = i;
    }
  }
  return apart;
}

}  // namespace framegov

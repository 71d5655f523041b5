// SPDX-License-Identifier: Apache-2.0
#include "policy/work_tail.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace framegov {

namespace {

/// The tail's scale is first taken from the heaviest one of so many works; this counts like so many
/// spacings of the largest.
constexpr std::size_t kHeaviest = 8;
constexpr double kBefore = 8;
/// As long as few works are known: so many of them are those of a usual app, whose scale is this
/// part of the largest. Real apps come to 0.12 to 0.17, and measured work adds its noise.
constexpr double kUsualWorks = 4;
constexpr double kUsualScale = 0.25;
/// So many times the next smaller work, of so many, is of another kind; works of its kind are
/// planned for up to so many times the largest seen.
constexpr double kGap = 1.3;
constexpr std::size_t kEnoughToTell = 32;
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
  const double seldom = eps_ * static_cast<double>(window_.size() + 1);
  const double counted = static_cast<double>(largest() - 1) + kBefore;
  reach_ = seldom < 1 ? std::pow(seldom, -1 / counted) - 1 : 0;
}

double WorkTail::spread(std::span<const double> works) const {
  const double top = works.back();
  const std::size_t heaviest = works.size() / kHeaviest;
  double above = kUsualWorks * kUsualScale * top;
  if (heaviest > 0) {
    const auto tail = works.last(heaviest + 1);
    above = std::accumulate(tail.begin() + 1, tail.end(), above) -
            static_cast<double>(heaviest) * tail.front();
  }
  double sum = kBefore * above / (kUsualWorks + static_cast<double>(heaviest));
  const auto largest_works = works.last(std::min(largest(), works.size()));
  for (std::size_t i = 1; i < largest_works.size(); ++i) {  // the i-th from below
    sum += static_cast<double>(largest_works.size() + 1 - i) *
           (largest_works[i] - largest_works[i - 1]);
  }
  return sum;
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
  const auto rest = works.first(works.size() - apart);
  const double top = rest.back();
  const double beyond = top + reach_ * spread(rest);
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

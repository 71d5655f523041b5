// SPDX-License-Identifier: Apache-2.0
#include "sim/import/refresh_rate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/median.h"

namespace framegov {

namespace {

constexpr std::array<double, 12> kRates{48, 50, 60, 72, 75, 80, 90, 96, 100, 120, 144, 165};

double distance(std::int64_t gap, std::size_t rate) {
  return std::abs(static_cast<double>(gap) * kRates[rate] / 1e9 - 1);
}

}  // namespace

RefreshRate::RefreshRate(const TraceModel& model, const std::vector<ProcessSlices>& processes) {
  std::map<std::int32_t, std::vector<std::int64_t>> expected;
  for (const FrameTimelineSlice& slice : model.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      expected[slice.pid].push_back(slice.begin);
    }
  }
  expected_ = gaps_of_each(std::move(expected));
  vsyncs_ = gaps_of(model.vsyncs);
  for (const Gaps* gaps : {&expected_, &vsyncs_}) {
    usual_ = usual_ != 0 ? usual_ : estimate(gaps->begin(), gaps->end()).interval;
  }
  if (usual_ == 0) {
    std::map<std::int32_t, std::vector<std::int64_t>> begins;
    for (const ProcessSlices& process : processes) {
      for (const Slice& do_frame : process.do_frames) {
        begins[do_frame.tid].push_back(do_frame.begin);
      }
    }
    const Gaps gaps = gaps_of_each(std::move(begins));
    usual_ = estimate(gaps.begin(), gaps.end()).interval;
  }
  assumed_ = usual_ == 0;
  if (assumed_) {
    usual_ = 1'000'000'000 / 60;
  }
}

/// Each process has its vsyncs at a time of its own within a refresh.
RefreshRate::Gaps RefreshRate::gaps_of_each(
    std::map<std::int32_t, std::vector<std::int64_t>> moments) {
  Gaps all;
  for (auto& [id, own] : moments) {
    const Gaps gaps = gaps_of(std::move(own));
    all.insert(all.end(), gaps.begin(), gaps.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  return all;
}

RefreshRate::Gaps RefreshRate::gaps_of(std::vector<std::int64_t> moments) {
  constexpr double kTolerance = 0.03;
  std::sort(moments.begin(), moments.end());
  Gaps gaps;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const std::int64_t length = moments[i] - moments[i - 1];
    std::size_t best = 0;
    for (std::size_t rate = 1; rate < kRates.size(); ++rate) {
      best = distance(length, rate) < distance(length, best) ? rate : best;
    }
    if (distance(length, best) < kTolerance) {
      gaps.push_back({moments[i - 1], length, best});
    }
  }
  return gaps;
}

/// The highest rate that is not rare: gaps of two refreshes look like half of it.
RefreshRate::Estimate RefreshRate::estimate(Gaps::const_iterator begin, Gaps::const_iterator end) {
  constexpr double kEnoughPart = 0.2;
  std::array<std::size_t, kRates.size()> hits{};
  std::for_each(begin, end, [&](const Gap& gap) { ++hits[gap.rate]; });
  for (std::size_t rate = kRates.size(); rate-- > 0;) {
    if (hits[rate] == 0 ||
        static_cast<double>(hits[rate]) < kEnoughPart * static_cast<double>(end - begin)) {
      continue;
    }
    std::vector<std::int64_t> lengths;
    lengths.reserve(hits[rate]);
    for (auto gap = begin; gap != end; ++gap) {
      if (gap->rate == rate) {
        lengths.push_back(gap->length);
      }
    }
    return {rate, median(std::move(lengths))};
  }
  return {};
}

std::int64_t RefreshRate::near(const Gaps& gaps, std::int64_t at) {
  constexpr std::ptrdiff_t kWindow = 16;
  constexpr std::ptrdiff_t kEnough = 5;
  constexpr std::int64_t kNear = 1'000'000'000;
  const auto after = std::upper_bound(gaps.begin(), gaps.end(), at,
                                      [](std::int64_t t, const Gap& gap) { return t < gap.begin; });
  // The gap that begins with the frame's vsync tells what follows it.
  const bool within =
      after != gaps.begin() && at - std::prev(after)->begin < std::prev(after)->length;
  const auto own = within ? std::prev(after) : after;
  auto first = own - std::min(kWindow, own - gaps.begin());
  auto last = own + std::min(kWindow, gaps.end() - own);
  while (first != own && at - first->begin > kNear) {
    ++first;
  }
  while (last != own && std::prev(last)->begin - at > kNear) {
    --last;
  }
  const Estimate before = estimate(first, own);
  const Estimate later = estimate(own, last);
  // A few gaps at an end of the recording do not tell a change from vsyncs nobody asked for.
  if (own - first < kEnough || last - own < kEnough || before.rate == later.rate) {
    return estimate(first, last).interval;
  }
  // Before a change of rate the frame's own refresh is as those before it, else as those after.
  return within && own->rate == before.rate ? before.interval : later.interval;
}

std::int64_t RefreshRate::at(std::int64_t at) const {
  for (const Gaps* gaps : {&expected_, &vsyncs_}) {
    if (const std::int64_t interval = near(*gaps, at); interval != 0) {
      return interval;
    }
  }
  return usual_;
}

}  // namespace framegov

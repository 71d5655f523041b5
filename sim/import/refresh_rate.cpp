// SPDX-License-Identifier: Apache-2.0
#include "sim/import/refresh_rate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <utility>

#include "base/median.h"
#include "sim/import/surface_frames.h"

namespace framegov::sim {

namespace {

/// Of refreshes, ns: no phone's screen is faster than 240 Hz, and one slower than 48 Hz cannot be
/// told from an app that draws at every other refresh.
constexpr std::int64_t kShortest = 4'000'000;
constexpr std::int64_t kLongest = 21'500'000;

bool same_rate(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kTolerance = 10;  // %: no screen has two rates that are closer
  return std::abs(a - b) * 100 < b * kTolerance;
}

/// Beside a whole number of its own length. A phase that moves (SurfaceFlinger's offsets) makes a
/// gap shorter and the one beside it longer; neither is a refresh.
bool fits(std::int64_t length, std::int64_t neighbour) {
  constexpr double kOff = 0.1;
  constexpr double kPause = 3;  // so many refreshes tell nothing: vsyncs jitter
  const auto [shorter, longer] = std::minmax(length, neighbour);
  const double ratio = static_cast<double>(longer) / static_cast<double>(shorter);
  return ratio > kPause || std::abs(ratio - std::round(ratio)) <= kOff;
}

/// Where nothing tells the rate: the usual one that no game's buffers come faster than, 60 Hz at
/// least.
std::int64_t assumed_interval(const std::vector<ProcessSlices>& processes) {
  constexpr std::size_t kEnough = 5;
  constexpr double kFaster = 1.05;  // median times between buffers vary
  double pace = 1e9;
  for (const ProcessSlices& process : processes) {
    for (const SurfaceThread& thread : surface_threads(process)) {
      std::vector<std::int64_t> gaps;
      for (std::size_t i = 1; i < thread.queues.size(); ++i) {
        gaps.push_back(thread.queues[i].end - thread.queues[i - 1].end);
      }
      const std::int64_t own = gaps.size() >= kEnough ? median(std::move(gaps)) : 0;
      // What comes faster than any screen refreshes is not shown frame by frame: a camera's stream.
      pace = own >= kShortest ? std::min(pace, static_cast<double>(own)) : pace;
    }
  }
  constexpr std::array<double, 6> kUsualRates{60, 90, 120, 144, 165, 240};
  const auto* const rate = std::find_if(kUsualRates.begin(), std::prev(kUsualRates.end()),
                                        [&](double hz) { return 1e9 / hz <= pace * kFaster; });
  return std::llround(1e9 / *rate);
}

}  // namespace

RefreshRate::RefreshRate(const TraceModel& model, const std::vector<ProcessSlices>& processes) {
  std::map<std::int32_t, std::vector<std::int64_t>> expected;
  std::vector<std::int64_t> displayed;
  for (const FrameTimelineSlice& slice : model.compositor.timelines) {
    if (slice.kind == FrameTimelineKind::kExpectedSurface) {
      expected[slice.pid].push_back(slice.begin);
    } else if (slice.kind == FrameTimelineKind::kExpectedDisplay) {
      displayed.push_back(slice.begin);
    }
  }
  sources_ = {gaps_of_each(expected), gaps_of(model.compositor.app_vsyncs),
              gaps_of(std::move(displayed)), gaps_of(model.compositor.vsyncs)};
  for (const Gaps& gaps : sources_) {
    usual_ = usual_ != 0 ? usual_ : estimate(gaps.begin(), gaps.end());
  }
  if (usual_ == 0) {
    std::map<std::int32_t, std::vector<std::int64_t>> begins;
    for (const ProcessSlices& process : processes) {
      for (const Slice& do_frame : process.do_frames) {
        begins[do_frame.tid].push_back(do_frame.begin);
      }
    }
    const Gaps gaps = gaps_of_each(begins);
    usual_ = estimate(gaps.begin(), gaps.end());
  }
  assumed_ = usual_ == 0;
  if (assumed_) {
    usual_ = assumed_interval(processes);
  }
}

/// Each process has its vsyncs at a time of its own within a refresh.
RefreshRate::Gaps RefreshRate::gaps_of_each(
    const std::map<std::int32_t, std::vector<std::int64_t>>& moments) {
  Gaps all;
  for (const auto& [id, own] : moments) {
    const Gaps gaps = gaps_of(own);
    all.insert(all.end(), gaps.begin(), gaps.end());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  return all;
}

RefreshRate::Gaps RefreshRate::gaps_of(std::vector<std::int64_t> moments) {
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  const auto length_to = [&](std::size_t i) { return moments[i] - moments[i - 1]; };
  Gaps gaps;
  for (std::size_t i = 1; i < moments.size(); ++i) {
    const std::int64_t length = length_to(i);
    const bool alone = moments.size() == 2;
    const bool fits_one = (i > 1 && fits(length, length_to(i - 1))) ||
                          (i + 1 < moments.size() && fits(length, length_to(i + 1)));
    if (length >= kShortest && length <= kLongest && (alone || fits_one)) {
      gaps.push_back({moments[i - 1], length});
    }
  }
  return gaps;
}

/// The shortest length that is not rare: gaps of two refreshes look like half the rate.
std::int64_t RefreshRate::estimate(Gaps::const_iterator begin, Gaps::const_iterator end) {
  constexpr std::ptrdiff_t kEnough = 2;
  constexpr std::ptrdiff_t kEnoughPart = 4;
  constexpr std::int64_t kAround = 12;  // %: vsyncs jitter, and no rates are closer
  constexpr int kRounds = 3;
  std::vector<std::int64_t> lengths;
  std::transform(begin, end, std::back_inserter(lengths),
                 [](const Gap& gap) { return gap.length; });
  std::sort(lengths.begin(), lengths.end());
  const auto alike_from = [&](std::vector<std::int64_t>::const_iterator first) {
    return std::upper_bound(first, lengths.cend(), *first + *first * 6 / 100) - first;
  };
  const std::ptrdiff_t all = end - begin;
  const std::ptrdiff_t enough = std::max(std::min(kEnough, all), all / kEnoughPart);
  auto crowd = lengths.cbegin();
  while (crowd != lengths.cend() && alike_from(crowd) < enough) {
    ++crowd;
  }
  if (crowd == lengths.cend()) {
    return 0;
  }
  // Lengths that jitter crowd around the true one.
  for (auto first = crowd, last = crowd + alike_from(crowd); first != last; ++first) {
    crowd = alike_from(first) > alike_from(crowd) ? first : crowd;
  }
  std::int64_t middle = *(crowd + alike_from(crowd) / 2);
  for (int i = 0; i < kRounds; ++i) {
    const std::int64_t off = middle * kAround / 100;
    const auto first = std::lower_bound(lengths.begin(), lengths.end(), middle - off);
    const auto last = std::upper_bound(first, lengths.end(), middle + off);
    middle = median(std::vector(first, last));
  }
  return middle;
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
  if (last - first < 2) {  // a single one may be anything
    return 0;
  }
  const std::int64_t before = estimate(first, own);
  const std::int64_t later = estimate(own, last);
  // A few gaps at an end of the recording do not tell a change from vsyncs nobody asked for.
  if (own - first < kEnough || last - own < kEnough || before == 0 || later == 0 ||
      same_rate(before, later)) {
    return estimate(first, last);
  }
  // Before a change of rate the frame's own refresh is as those before it, else as those after.
  return within && same_rate(own->length, before) ? before : later;
}

std::int64_t RefreshRate::at(std::int64_t at) const {
  for (const Gaps& gaps : sources_) {
    if (const std::int64_t interval = near(gaps, at); interval != 0) {
      return interval;
    }
  }
  return usual_;
}

}  // namespace framegov::sim

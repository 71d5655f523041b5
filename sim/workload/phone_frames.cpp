// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/phone_frames.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/frame.h"
#include "sim/plant/random.h"

namespace framegov::sim {

namespace {

constexpr double kLeastCutPart = 0.01;
constexpr std::size_t kLeastCutFrames = 5;
constexpr double kSplitUiShare = 0.45;
constexpr double kSplitDeviation = 0.11;
constexpr double kLeastSplit = 0.1;

double work_of(const WorkloadFrame& frame) {
  return frame.ui.work.count() + frame.render.work.count();
}

bool has_ui_stage(const WorkloadFrame& frame) {
  return frame.ui.work.count() > 0 || frame.ui.fixed > Duration::zero();
}

}  // namespace

CutTail cut_tail(const Workload& workload) {
  std::vector<double> works;
  for (const WorkloadFrame& frame : workload.frames) {
    works.push_back(work_of(frame));
  }
  std::sort(works.begin(), works.end());
  CutTail tail;
  if (works.empty() || works.back() <= 0) {
    return tail;
  }
  const auto first = std::lower_bound(works.begin(), works.end(), works.back());
  const auto cut = static_cast<std::size_t>(works.end() - first);
  const auto all = static_cast<double>(works.size());
  if (cut < kLeastCutFrames || static_cast<double>(cut) < kLeastCutPart * all ||
      2 * cut > works.size()) {
    return tail;
  }
  const double below = works[works.size() - std::min(2 * cut, works.size())];
  tail.at = works.back();
  tail.frames = cut;
  // Exp(b) falls by half in b ln 2.
  tail.excess = (tail.at - below) / std::numbers::ln2 / tail.at;
  return tail;
}

void reopen_tail(Workload& workload, double excess, std::uint64_t seed) {
  const CutTail tail = cut_tail(workload);
  if (tail.frames == 0) {
    return;
  }
  const double mean = excess < 0 ? tail.excess : excess;
  Random random(seed * 7 + 3);
  for (WorkloadFrame& frame : workload.frames) {
    if (work_of(frame) >= tail.at) {
      const double factor = 1 + mean * random.exponential();
      frame.ui.work = frame.ui.work * factor;
      frame.render.work = frame.render.work * factor;
    }
  }
}

void split_stages(Workload& workload, std::uint64_t seed) {
  const bool two_stages = std::any_of(workload.frames.begin(), workload.frames.end(), has_ui_stage);
  if (two_stages) {
    return;
  }
  Random random(seed * 7 + 4);
  for (WorkloadFrame& frame : workload.frames) {
    if (frame.deadline_edge == DeadlineEdge::kTargetRate) {
      continue;  // a game's loop has no UI thread
    }
    const double share =
        std::clamp(kSplitUiShare + kSplitDeviation * random.normal(), kLeastSplit, 1 - kLeastSplit);
    const StageLoad whole = frame.render;
    frame.ui = whole;
    frame.ui.work = whole.work * share;
    frame.render.work = whole.work * (1 - share);
    frame.ui.fixed = Duration{std::llround(static_cast<double>(whole.fixed.count()) * share)};
    frame.render.fixed = whole.fixed - frame.ui.fixed;
    frame.ui.wait_ns = 0;
    frame.ui.wait_after = 0;
  }
}

}  // namespace framegov::sim

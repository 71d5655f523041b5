// SPDX-License-Identifier: Apache-2.0
#include "probes/games/spare_time.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace framegov {

void SpareTime::observe(Instant began, bool waited, double late, Duration pace) {
  if (std::exchange(pace_, pace) != pace) {
    interrupt();
  }
  const auto paces_since = [&](Instant before) {
    return to_seconds(began - before) / to_seconds(pace);
  };
  if (waited) {
    if (is_known(vsync_)) {
      off_vsyncs_ += off_vsync(paces_since(vsync_));
      ++waits_;
    }
    const double run = is_known(run_began_) ? paces_since(run_began_) : 0;
    if (!is_known(run_began_) || run >= kRun) {
      // Farther from vsyncs in the mean is another rate.
      if (is_known(run_began_) && off_vsyncs_ <= kJitter * waits_ && run <= kLongestRun) {
        judge(std::lround(run) > frames_);
      }
      run_began_ = began;
      frames_ = 0;
      latest_ = kNone;
      off_vsyncs_ = 0;
      waits_ = 0;
    }
  }
  vsync_ = waited ? began : Instant{};
  ++frames_;
  latest_ = std::max(latest_, late);
}

void SpareTime::judge(bool repeated) {
  const double used = part_ > 0 ? kUsed * part_ : part_ - kStep;
  if (!repeated) {
    in_vain_ = 0;
    if (latest_ >= used) {
      grow();
    }
  } else if (repeats_despite_ == 0) {
    if (latest_ <= part_) {  // beyond that it is no wonder
      shrink();
    } else if (part_ < 0) {
      ++in_vain_;
    }
    if (part_ < kMostNegative || in_vain_ > kMostInVain) {
      part_ = 0;
      repeats_despite_ = kProof << kMostDoublings;
      in_vain_ = 0;
    }
  }
  repeats_despite_ = std::max(0, repeats_despite_ - frames_);
}

void SpareTime::grow() {
  proven_ += frames_;
  if (proven_ >= kProof << doublings_) {
    part_ = std::min(part_ + kStep, 1.0);
    proven_ = 0;
  }
}

void SpareTime::shrink() {
  part_ = latest_ / 2 >= kLeast ? latest_ / 2 : std::min(latest_, 0.0) - kStep;
  doublings_ = std::min(doublings_ + 1, kMostDoublings);
  proven_ = 0;
}

}  // namespace framegov

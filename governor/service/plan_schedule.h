// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/time.h"

namespace framegov {

/// The timed steps of a plan within the frame that is being made: PlanSteps of the clusters,
/// ThreadSteps of its threads.
///
/// Armed when a frame starts, cancelled when it ends and none has started since. Without a frame
/// there is nothing to step up for, so nothing is ever due. Holds no clock.
template <class Step, std::size_t kMost>
class StepSchedule {
 public:
  using Steps = StaticVector<Step, kMost>;

  /// A frame has started: `steps` count from `start`, those already past are due at once.
  void arm(Instant start, const Steps& steps) {
    start_ = start;
    steps_ = steps;
    next_ = 0;
  }

  /// The plan has changed within the frame; without a frame this does nothing.
  void replace(const Steps& steps) {
    if (is_known(start_)) {
      arm(start_, steps);
    }
  }

  /// `frame` has ended. One that started after it goes on being hurried.
  void end(const Frame& frame) {
    if (!is_known(frame.start) || frame.began() >= start_) {
      cancel();
    }
  }

  /// The frame is not to be hurried any more.
  void cancel() { start_ = Instant{}; }

  /// When the next step is due; zero for never.
  [[nodiscard]] Instant next_due() const {
    return is_known(start_) && next_ < steps_.size() ? start_ + steps_[next_].after : Instant{};
  }

  /// The next step that is due at `now`, each once.
  [[nodiscard]] std::optional<Step> take_due(Instant now) {
    const Instant due = next_due();
    if (!is_known(due) || now < due) {
      return std::nullopt;
    }
    return steps_[next_++];
  }

 private:
  Instant start_;
  Steps steps_;
  std::size_t next_ = 0;
};

using PlanSchedule = StepSchedule<PlanStep, kMaxPlanSteps>;
using ThreadSchedule = StepSchedule<ThreadStep, kMaxThreadSteps>;

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/frame.h"
#include "base/time.h"
#include "policy/learned.h"
#include "policy/quantile_margin.h"
#include "policy/work_tail.h"
#include "policy/work_trend.h"
#include "policy/work_window.h"

namespace framegov {

/// What the coming frames of one app will need, learned from those that have ended: the
/// distribution of their work, an upper bound on it that is held to the wanted miss rate, and the
/// time that no frequency shortens. No allocation.
///
/// Work is in reference cycles of the cluster that runs the frame's critical part.
class FrameDemand {
 public:
  /// One frame that has ended, measured.
  struct Sample {
    double work{};    ///< reference cycles
    double busy_s{};  ///< seconds that its threads were at it, waits for a buffer left out
    double ran_s{};   ///< of these, seconds on a CPU
    std::optional<double> ui_part;  ///< of its work, the UI thread's; empty without CPU times
    bool waited{};                  ///< it began behind the frame before it
    bool hopeless{};                ///< no speed would have made it in time
    bool hitch{};      ///< even from a clear start full speed would not have made it in time
    bool governed{};   ///< it ran under a plan
    bool elsewhere{};  ///< its critical part ran on a cluster that the plan had no speed for
    bool nearer{};     ///< its deadline was nearer than planned for
    bool decided{};    ///< a lower bound would have made a difference
  };

  /// `eps`: part of the feasible deadlines that may be missed. `mean_only`: the bound is the mean.
  FrameDemand(double eps, bool mean_only);

  void learn(const Frame& frame, const Sample& sample);
  /// The screen was still: the next frames are a beginning.
  void on_still() { since_still_ = 0; }
  /// Frames that follow are those of an app that comes to the front.
  void on_front();
  /// Frames that follow are another app's.
  void forget();

  /// The most work that the coming frame must be able to do, reference cycles.
  [[nodiscard]] double full_load() const;
  /// The same for a place to which only the part `chance` of the frames comes: they may exceed it
  /// as much more often.
  [[nodiscard]] double full_load(double chance) const;
  [[nodiscard]] double mean_work() const { return mean_work_; }
  /// Work of recent frames of the coming one's kind, ascending.
  [[nodiscard]] std::span<const double> recent() const;
  /// Quantile of the seconds that no frequency shortens.
  [[nodiscard]] double fixed_s() const { return fixed_s_; }
  /// Mean part of a frame's work that is the UI thread's.
  [[nodiscard]] double ui_share() const { return ui_share_; }
  /// Mean part of a game's frame that its thread slept, not for a buffer.
  [[nodiscard]] double asleep() const { return asleep_; }

  [[nodiscard]] std::optional<Learned> learned() const;
  void recall(const Learned& learned);

 private:
  /// Frames of a kind, and how far beyond them the next is planned.
  struct Phase {
    explicit Phase(double eps) : margin(eps) {}
    WorkWindow work;
    QuantileMargin margin;
  };

  /// The kind that the coming frame is of.
  [[nodiscard]] Phase FrameDemand::*kind() const;
  [[nodiscard]] const Phase& phase() const { return this->*kind(); }
  [[nodiscard]] Phase& phase() { return this->*kind(); }
  void judge_margin(bool late, const Sample& sample);
  void learn_fixed(const Frame& frame, const Sample& sample);
  void learn_work(double work, bool hitch);
  /// Chooses, for the coming frame, whether its work is expected by the last one's.
  void look_ahead();
  [[nodiscard]] bool follows() const { return follows_ && kind() == &FrameDemand::going_; }
  /// Frames after a still screen have much more work than others.
  [[nodiscard]] bool beginnings_are_heavy() const;

  double eps_;
  bool mean_only_;
  Phase beginning_;  ///< the first frames after a still screen
  Phase going_;      ///< all others
  WorkTail tail_;    ///< of both kinds, unless beginnings are heavy
  WorkTrend trend_;
  double expected_ = 1;       ///< trend_'s factor for the coming frame
  double mean_expected_ = 1;  ///< of recent frames
  WorkWindow relative_;       ///< works of going_, each over what was expected of it
  WorkTail relative_tail_;
  bool follows_ = false;  ///< what is expected bounds works closer than what is usual
  std::array<double, WorkWindow::kCapacity> foretold_{};  ///< relative_, of the coming frame
  double mean_work_ = 0;
  double fixed_s_ = 0;
  double ui_share_ = 0;
  double asleep_ = 0;
  std::uint64_t frames_ = 0;        ///< learned from
  std::uint64_t last_hitch_ = 0;    ///< number of the last that no speed would have made
  std::uint64_t late_by_luck_ = 0;  ///< number of the last that was late for what no plan knew
  /// Kind of the frame that need not have been late and for which the last one was: null when it
  /// was in time, or late by itself.
  Phase FrameDemand::*began_late_ = nullptr;
  /// The app's first frame has yet to end. It builds what later ones only change, and runs at full
  /// speed anyway: it tells nothing of their work, but would make the tail long for seconds.
  bool launching_ = true;
  int since_still_ = 0;  ///< frames made since the screen was still
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/plant/pelt.h"
#include "sim/plant/stage_pieces.h"

namespace framegov {

/// One thread of the pipeline (UI thread or RenderThread) and the stage it is in.
///
/// A stage is work and fixed time, evenly mixed: at a constant speed it takes
/// span = work / speed + fixed, and `remaining` of it falls by dt / span. When the speed changes
/// within the stage, what remains is spread over the new span. With a wait it is several such
/// pieces (StagePieces). All times are ns; work is ns at the reference speed.
class ThreadRun {
 public:
  /// Whether the kernel remembers the utilisation of the thread's last stages (util_est): while it
  /// runs it then counts for at least that (kernel/sched/fair.c, util_est_update: up at once, down
  /// a quarter of the way).
  void use_estimate(bool use) { use_estimate_ = use; }

  /// What the kernel takes a thread for before it has run: half of what the CPU can do on which it
  /// is made (kernel/sched/fair.c, post_init_entity_util_avg). Sleep does not make it less.
  void begin_life(double capacity) { estimate_ = kNewThreadShare * capacity; }
  [[nodiscard]] bool has_run() const { return has_run_; }

  /// Utilisation that the kernel remembers of its last stages.
  [[nodiscard]] double estimate() const { return use_estimate_ ? estimate_ : 0.0; }
  /// PELT's average now; of a running thread as of the last advance().
  [[nodiscard]] double average(double now) const {
    return running_ ? pelt_.value() : pelt_.after_sleep(slept(now));
  }
  /// Which of its cluster's CPUs it is on, where that is known.
  [[nodiscard]] std::uint8_t cpu() const { return cpu_; }
  void set_cpu(std::uint8_t cpu) { cpu_ = cpu; }
  /// Goes on elsewhere, with `extra` more work; the caller has advanced to now.
  void move(std::size_t cluster, std::uint8_t cpu, double inverse_speed, double extra) {
    cluster_ = cluster;
    cpu_ = cpu;
    work_ = work_ * remaining_ + extra;
    fixed_ *= remaining_;
    remaining_ = 1;
    here_work_ = 0;
    here_time_ = 0;
    set_span(inverse_speed);
  }
  /// Work done and CPU time taken since it came to its present CPU in this stage.
  [[nodiscard]] double here_work() const { return here_work_; }
  [[nodiscard]] double here_time() const { return here_time_; }

  /// `inverse_speed`: reference speed over the speed of the thread's CPU.
  void start(double work, double fixed, double inverse_speed, std::size_t cluster, double now,
             const StageWait& wait = {}) {
    pelt_.sleep(slept(now));
    lag_ = 0;
    cluster_ = cluster;
    cpu_time_ = 0;
    here_work_ = 0;
    here_time_ = 0;
    since_ = now;
    running_ = true;
    least_util_ = use_estimate_ ? estimate_ : 0.0;
    has_run_ = true;
    begin(pieces_.first(work, fixed, wait), inverse_speed);
  }
  /// Begins the stage's next piece, now that one has come to its end; false when that was the last.
  bool go_on(double now) {
    if (pieces_.empty()) {
      return false;
    }
    advance(now);
    wakes_up_ = work_ <= 0;
    begin(pieces_.next(), inverse_speed_);
    return true;
  }
  /// The piece before was a wait alone.
  [[nodiscard]] bool wakes_up() const { return wakes_up_; }
  /// Accounts for what has been done up to now.
  void advance(double now) {
    if (!running_ || now <= since_) {
      return;
    }
    const double ns = now - since_;
    const double worked = ns * work_rate_;
    since_ = now;
    remaining_ -= ns * per_span_;
    if (fixed_ > 0) {
      pelt_.sleep(ns * fixed_rate_);
    }
    pelt_.run(worked);
    const double ran = worked * inverse_speed_;
    cpu_time_ += ran;
    here_work_ += worked;
    here_time_ += ran;
    lag_ += worked * (inverse_speed_ - 1.0);
  }
  /// The speed has changed; the caller has advanced to now.
  void set_speed(double inverse_speed) { set_span(inverse_speed); }
  void finish(double now) {
    advance(now);
    running_ = false;
    remaining_ = 0;
    const double util = pelt_.value();
    left_behind_ = util;
    estimate_ = util >= estimate_ ? util : estimate_ + kEstimateFall * (util - estimate_);
  }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] std::size_t cluster() const { return cluster_; }
  /// When the stage's present piece does.
  [[nodiscard]] double ends_at() const { return since_ + remaining_ * span_; }
  /// Part of the piece's time in which the thread runs.
  [[nodiscard]] double running_part() const { return work_rate_ * inverse_speed_; }
  [[nodiscard]] double cpu_time() const { return cpu_time_; }
  [[nodiscard]] double idle_since() const { return since_; }

  /// Utilisation now, after advance().
  [[nodiscard]] double util(double now) const {
    return running_ ? busy_util() : pelt_.after_sleep(slept(now));
  }
  /// What schedutil reads of a CPU that has only this thread. An idle CPU's utilisation stays what
  /// it was when the thread left until the kernel brings idle CPUs up to date (kernel/sched/fair.c,
  /// _nohz_idle_balance): refresh_cpu().
  [[nodiscard]] double cpu_util() const { return running_ ? busy_util() : left_behind_; }
  void refresh_cpu(double now) {
    if (!running_ && now > since_) {
      left_behind_ = pelt_.after_sleep(slept(now));
    }
  }
  /// Not below util() and cpu_util() until the thread begins another stage; cheap.
  [[nodiscard]] double util_bound() const { return running_ ? 1.0 : pelt_.value(); }

 private:
  static constexpr double kEstimateFall = 0.25;
  static constexpr double kNewThreadShare = 0.5;

  [[nodiscard]] double busy_util() const { return std::max(pelt_.value(), least_util_); }
  [[nodiscard]] double slept(double now) const { return now - since_ + lag_; }
  void begin(const StagePieces::Piece& piece, double inverse_speed) {
    work_ = piece.work;
    fixed_ = piece.fixed;
    remaining_ = 1;
    set_span(inverse_speed);
  }
  void set_span(double inverse_speed) {
    inverse_speed_ = inverse_speed;
    span_ = work_ * inverse_speed + fixed_;
    per_span_ = span_ > 0 ? 1.0 / span_ : 0.0;
    work_rate_ = work_ * per_span_;
    fixed_rate_ = fixed_ * per_span_;
  }

  double work_ = 0;
  double fixed_ = 0;
  double inverse_speed_ = 1;
  double span_ = 0;
  double per_span_ = 0;
  double work_rate_ = 0;   ///< work done in a ns of the stage
  double fixed_rate_ = 0;  ///< fixed time passed in one
  double remaining_ = 0;
  double since_ = 0;
  double cpu_time_ = 0;
  double here_work_ = 0;
  double here_time_ = 0;
  double lag_ = 0;
  PeltSignal pelt_;
  double estimate_ = 0;
  double left_behind_ = 0;
  double least_util_ = 0;  ///< while it runs
  bool use_estimate_ = false;
  std::size_t cluster_ = 0;
  std::uint8_t cpu_ = 0;
  StagePieces pieces_;
  bool running_ = false;
  bool has_run_ = false;
  bool wakes_up_ = false;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/plant/stage_pieces.h"
#include "sim/plant/thread_hold.h"
#include "sim/plant/thread_util.h"
#include "sim/plant/walt_demand.h"

namespace framegov::sim {

/// One thread of the pipeline (UI thread or RenderThread) and the stage it is in.
///
/// A stage is work and fixed time, evenly mixed: at a constant speed it takes
/// span = work / speed + fixed, and `remaining` of it falls by dt / span. When the speed changes
/// within the stage, what remains is spread over the new span. With a wait it is several such
/// pieces (StagePieces). All times are ns; work is ns at the reference speed.
class ThreadRun {
 public:
  void use_estimate(bool use) { util_.use_estimate(use); }
  /// Its load is counted in WALT's windows, too.
  void count_windows() { counts_windows_ = true; }
  /// It runs stages of such a thread from now on.
  void set_thread(const StageThread& thread) { thread_ = thread; }
  [[nodiscard]] bool on_big_cores() const { return thread_.on_big_cores; }
  [[nodiscard]] bool on_top() const { return thread_.on_top; }
  /// What the kernel is told of it.
  [[nodiscard]] const ThreadHold& hold() const { return hold_; }
  void set_hold(const ThreadHold& hold) { hold_ = hold; }
  /// As of the last advance().
  [[nodiscard]] double demand(double now) { return windows_.at(now); }
  void begin_life(double capacity) { util_.begin_life(capacity); }  ///< where it is made
  [[nodiscard]] bool has_run() const { return has_run_; }
  [[nodiscard]] double estimate() const { return util_.estimate(); }
  /// PELT's average now; of a running thread as of the last advance().
  [[nodiscard]] double average(double now) const {
    return running_ ? util_.average() : util_.after_sleep(slept(now));
  }
  [[nodiscard]] std::uint8_t cpu() const { return cpu_; }  ///< of its cluster, where known
  void set_cpu(std::uint8_t cpu) { cpu_ = cpu; }
  /// Goes on elsewhere, with `extra` more work; the caller has advanced to now.
  void move(std::size_t cluster, std::uint8_t cpu, double inverse_speed, double extra) {
    cluster_ = cluster;
    cpu_ = cpu;
    here_ = {};
    begin({work_ * remaining_ + extra, fixed_ * remaining_}, inverse_speed);
  }
  /// Since it came to its present CPU in this stage.
  struct Done {
    double work = 0;
    double cpu_time = 0;
  };
  [[nodiscard]] Done here() const { return here_; }
  /// `inverse_speed`: reference speed over the speed of the thread's CPU.
  void start(double work, double fixed, double inverse_speed, std::size_t cluster, double now,
             const StageWait& wait = {}) {
    util_.wake_up(slept(now));
    lag_ = 0;
    cluster_ = cluster;
    cpu_time_ = 0;
    here_ = {};
    since_ = now;
    running_ = true;
    has_run_ = true;
    begin(pieces_.first(work, fixed, wait), inverse_speed);
  }
  /// Begins the stage's next piece, now that one has come to its end; false when that was the last.
  bool go_on(double now) {
    if (pieces_.empty()) {
      return false;
    }
    advance(now);
    begin(pieces_.next(), inverse_speed_);
    return true;
  }
  [[nodiscard]] bool waits() const { return work_ <= 0; }  ///< in a piece without work
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
      util_.wait(ns * fixed_rate_);
    }
    util_.run(worked);
    if (counts_windows_) {
      windows_.run(now - ns, now, worked * static_cast<double>(thread_.load));
    }
    const double ran = worked * inverse_speed_;
    cpu_time_ += ran;
    here_.work += worked;
    here_.cpu_time += ran;
    lag_ += worked * (inverse_speed_ - 1.0);
  }
  /// The speed has changed; the caller has advanced to now.
  void set_speed(double inverse_speed) {
    inverse_speed_ = inverse_speed;
    span_ = work_ * inverse_speed + fixed_;
    per_span_ = span_ > 0 ? 1.0 / span_ : 0.0;
    work_rate_ = work_ * per_span_;
    fixed_rate_ = fixed_ * per_span_;
  }
  void finish(double now) {
    advance(now);
    running_ = false;
    remaining_ = 0;
    util_.stop();
  }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] std::size_t cluster() const { return cluster_; }
  [[nodiscard]] double ends_at() const { return since_ + remaining_ * span_; }  ///< the piece
  /// Part of the piece's time in which the thread runs.
  [[nodiscard]] double running_part() const { return work_rate_ * inverse_speed_; }
  [[nodiscard]] double cpu_time() const { return cpu_time_; }
  [[nodiscard]] double idle_since() const { return since_; }
  /// Utilisation now, after advance().
  [[nodiscard]] double util(double now) const {
    return running_ ? util_.busy() : util_.after_sleep(slept(now));
  }
  /// What schedutil reads of a CPU that has only this thread.
  [[nodiscard]] double cpu_util() const { return running_ ? util_.busy() : util_.left_behind(); }
  void refresh_cpu(double now) {
    if (!running_ && now > since_) {
      util_.refresh(slept(now));
    }
  }
  /// Not below util() and cpu_util() until the thread begins another stage; cheap.
  [[nodiscard]] double util_bound() const { return running_ ? 1.0 : util_.average(); }

 private:
  [[nodiscard]] double slept(double now) const { return now - since_ + lag_; }
  void begin(const StagePieces::Piece& piece, double inverse_speed) {
    work_ = piece.work;
    fixed_ = piece.fixed;
    remaining_ = 1;
    set_speed(inverse_speed);
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
  Done here_;
  double lag_ = 0;
  ThreadUtil util_;
  std::size_t cluster_ = 0;
  std::uint8_t cpu_ = 0;
  StagePieces pieces_;
  WaltDemand windows_;
  StageThread thread_;
  ThreadHold hold_;
  bool counts_windows_ = false;
  bool running_ = false;
  bool has_run_ = false;
};

}  // namespace framegov::sim

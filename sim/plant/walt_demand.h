// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace framegov::sim {

/// A thread's load as Qualcomm's WALT counts it (kernel/sched/walt.c): its running time in windows
/// of 20 ms, at the speed it ran at. The demand is the last window's or the mean of the last five,
/// whichever is greater (WINDOW_STATS_MAX_RECENT_AVG).
///
/// Windows in which it did not run count for nothing (update_history() leaves them out), so that
/// sleep makes a thread no smaller. The running window counts once it is over.
class WaltDemand {
 public:
  static constexpr double kWindowNs = 20e6;

  /// Did `work` (ns at the reference speed), evenly from `from` to `until`.
  void run(double from, double until, double work) {
    close_before(from);
    const double rate = work / (until - from);
    for (; until > end_; close_before(from)) {
      sum_ += rate * (end_ - from);
      from = end_;
    }
    sum_ += rate * (until - from);
  }
  /// As a share of the reference speed.
  [[nodiscard]] double at(double now) {
    close_before(now);
    return demand_;
  }

 private:
  static constexpr std::size_t kHistory = 5;       // sysctl_sched_ravg_hist_size
  static constexpr double kNewThreadShare = 0.15;  // sysctl_sched_init_task_load_pct

  void close_before(double now) {
    if (now < end_) {
      return;
    }
    if (sum_ > 0) {
      std::copy_backward(history_.begin(), history_.end() - 1, history_.end());
      history_.front() = sum_ / kWindowNs;
      sum_ = 0;
      double mean = 0;
      for (const double each : history_) {
        mean += each / kHistory;
      }
      demand_ = std::max(history_.front(), mean);
    }
    end_ = (std::floor(now / kWindowNs) + 1) * kWindowNs;
  }

  std::array<double, kHistory> history_{kNewThreadShare, kNewThreadShare, kNewThreadShare,
                                        kNewThreadShare, kNewThreadShare};
  double demand_ = kNewThreadShare;
  double sum_ = 0;  ///< of the running window, ns
  double end_ = 0;  ///< of it
};

}  // namespace framegov::sim

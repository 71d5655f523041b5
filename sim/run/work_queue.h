// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/run/on_threads.h"

namespace framegov::sim {

/// Hands out units of work on demand, in order, and again those that came back undone. For any
/// number of threads.
template <class Unit>
class WorkQueue {
 public:
  using Units = std::vector<Unit>;
  using Together = std::function<bool(const Unit&, const Unit&)>;

  /// `workers`: how many will ask, roughly. `together`: which units may be handed out at once;
  /// without: all.
  explicit WorkQueue(std::size_t workers, Together together = {})
      : workers_(std::max<std::size_t>(workers, 1)), together_(std::move(together)) {}

  void add(const Units& units) {
    const std::scoped_lock lock(mutex_);
    todo_.insert(todo_.end(), units.begin(), units.end());
  }
  /// Some, few where little is left; each has to be finished or given back. Waits while others' may
  /// come back; empty when all is finished or stopped.
  [[nodiscard]] Units take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || !todo_.empty() || out_ == 0; });
    return take_locked();
  }
  /// The same without waiting: also empty where only others' are left.
  [[nodiscard]] Units take_now() {
    const std::scoped_lock lock(mutex_);
    return take_locked();
  }
  /// One unit.
  void finish() {
    {
      const std::scoped_lock lock(mutex_);
      --out_;
    }
    changed_.notify_all();
  }
  void give_back(const Units& units) {
    {
      const std::scoped_lock lock(mutex_);
      todo_.insert(todo_.begin(), units.begin(), units.end());
      out_ -= units.size();
    }
    changed_.notify_all();
  }
  /// No more is handed out.
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
  }

 private:
  [[nodiscard]] Units take_locked() {
    constexpr std::size_t kMost = 64;
    constexpr std::size_t kShares = 4;  // a worker comes so often for half of all that is left
    Units units;
    if (stopped_) {
      return units;
    }
    const std::size_t most = std::clamp<std::size_t>(todo_.size() / (kShares * workers_), 1, kMost);
    while (units.size() < most && !todo_.empty() &&
           (units.empty() || !together_ || together_(units.front(), todo_.front()))) {
      units.push_back(std::move(todo_.front()));
      todo_.pop_front();
    }
    out_ += units.size();
    return units;
  }

  std::size_t workers_;
  Together together_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Unit> todo_;
  std::size_t out_ = 0;  ///< handed out, neither finished nor given back
  bool stopped_ = false;
};

/// Works a queue off on `jobs` threads (0: one for each CPU), the calling one among them.
/// `make_worker()` makes for a thread what does a unit; where that says false, all stops.
template <class Unit, class MakeWorker>
void work_off(WorkQueue<Unit>& queue, std::size_t jobs, const MakeWorker& make_worker) {
  on_threads(threads_of(jobs), jobs, [&](std::size_t /*thread*/) {
    auto work = make_worker();
    for (auto units = queue.take(); !units.empty(); units = queue.take()) {
      for (const Unit& unit : units) {
        const bool goes_on = work(unit);
        queue.finish();
        if (!goes_on) {
          queue.stop();
          return;
        }
      }
    }
  });
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_queue.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace framegov::sim {

SweepQueue::SweepQueue(const SweepPlan& plan, Units todo, std::size_t workers)
    : plan_(&plan), workers_(std::max<std::size_t>(workers, 1)), todo_(std::move(todo)) {}

std::size_t SweepQueue::input_of(const SweepUnit& unit) const {
  return plan_->scene(unit.scene(plan_->units_of_a_scene())).input;
}

std::optional<SweepQueue::Units> SweepQueue::take_locked() {
  constexpr std::size_t kMost = 64;
  constexpr std::size_t kShares = 4;  // a worker comes so often for half of all that is left
  if (stopped_) {
    return Units{};
  }
  if (!back_.empty()) {
    ++out_;
    Units units{back_.back()};
    back_.pop_back();
    return units;
  }
  if (next_ == todo_.size()) {
    return out_ == 0 ? std::optional(Units{}) : std::nullopt;
  }
  const std::size_t left = todo_.size() - next_;
  const std::size_t most = std::clamp<std::size_t>(left / (kShares * workers_), 1, kMost);
  const std::size_t input = input_of(todo_[next_]);
  Units units;
  while (units.size() < most && next_ < todo_.size() && input_of(todo_[next_]) == input) {
    units.push_back(todo_[next_++]);
  }
  out_ += units.size();
  return units;
}

std::optional<SweepQueue::Units> SweepQueue::take_now() {
  const std::scoped_lock lock(mutex_);
  return take_locked();
}

SweepQueue::Units SweepQueue::take() {
  std::unique_lock lock(mutex_);
  std::optional<Units> units;
  changed_.wait(lock, [&] { return (units = take_locked()).has_value(); });
  return *units;
}

void SweepQueue::finish() {
  {
    const std::scoped_lock lock(mutex_);
    --out_;
  }
  changed_.notify_all();
}

void SweepQueue::give_back(const Units& units) {
  {
    const std::scoped_lock lock(mutex_);
    back_.insert(back_.end(), units.rbegin(), units.rend());
    out_ -= units.size();
  }
  changed_.notify_all();
}

void SweepQueue::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void work_off(const SweepPlan& plan, SweepQueue& queue, std::size_t jobs, const SweepSink& sink) {
  const auto work = [&] {
    SweepWorker worker(plan);
    for (SweepQueue::Units units = queue.take(); !units.empty(); units = queue.take()) {
      for (const SweepUnit& unit : units) {
        const bool goes_on = sink(unit, worker.run(unit));
        queue.finish();
        if (!goes_on) {
          queue.stop();
          return;
        }
      }
    }
  };
  if (jobs == 0) {
    jobs = std::max(1U, std::thread::hardware_concurrency());
  }
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < jobs; ++i) {
    threads.emplace_back(work);
  }
  work();
}

SweepQueue::Units all_units(const SweepPlan& plan,
                            const std::function<bool(std::size_t, std::size_t)>& wanted) {
  SweepQueue::Units units;
  const std::size_t each = plan.units_of_a_scene();
  for (std::size_t number = 0; number < plan.units(); ++number) {
    SweepUnit unit{number, 0};
    const std::size_t first = unit.first_variant(each);
    for (std::size_t i = 0; i < std::min(kUnitRuns, plan.variants() - first); ++i) {
      if (wanted(unit.scene(each), first + i)) {
        unit.runs = static_cast<std::uint8_t>(unit.runs | 1U << i);
      }
    }
    if (unit.runs != 0) {
      units.push_back(unit);
    }
  }
  return units;
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_actuator.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "governor/threads/thread_release.h"

namespace framegov {

namespace {

constexpr Duration kFirstRest = std::chrono::seconds{1};
constexpr Duration kLongestRest = std::chrono::minutes{5};
/// What has held for so long is not the same trouble.
constexpr Duration kForgiven = std::chrono::minutes{1};
constexpr Duration kTellEvery = std::chrono::minutes{1};
constexpr Duration kHeirsEvery = std::chrono::seconds{1};
/// The text with all threads and half of what may be asked for: a page, which is written whole.
constexpr std::size_t kUsualText = 4096;

std::string words_of(int error) {
  switch (error) {
    case EBUSY:
      return "the app or another program has changed them";
    case EIO:
      return "the kernel takes it and does not keep to it";
    default:
      return std::generic_category().message(error);
  }
}

/// Rounded down: a hair more would be the OPP above the one that is meant.
std::int16_t util_of(Speed speed, Speed fastest) {
  const double share = fastest.count() > 0 ? speed.count() / fastest.count() : 0;
  return static_cast<std::int16_t>(kFullUtil * std::clamp(share, 0.0, 1.0));
}

}  // namespace

ThreadActuator::ThreadActuator(std::unique_ptr<ThreadKernel> kernel, ThreadMeans means,
                               const CpuTopology& topology, StateDir state_dir, std::string boot_id,
                               Log& log)
    : kernel_(std::move(kernel)),
      means_(std::move(means)),
      topology_(topology),
      state_dir_(std::move(state_dir)),
      log_(log) {
  saved_.boot_id = std::move(boot_id);
  text_.reserve(kUsualText);
}

ThreadActuator::~ThreadActuator() {
  if (const Status restored = restore(); !restored) {
    log_.error("threads-not-restored", restored.error().to_string());
  }
}

ThreadLevers ThreadActuator::levers(Instant now) const {
  return resting(now) ? ThreadLevers{} : means_.levers;
}

bool ThreadActuator::apply(const FrameThreads& threads, const ThreadPlans& plans, Instant now) {
  if (plans.empty()) {
    if (const int error = stand() ? let_all_go() : 0; error != 0) {
      give_up(error, now);
    }
    return true;
  }
  if (resting(now)) {
    return false;
  }
  if (threads == last_threads_ && plans == last_plans_) {
    return true;
  }
  if (const int error = bring_about(threads, plans); error != 0) {
    give_up(error, now);
    return false;
  }
  last_threads_ = threads;
  last_plans_ = plans;
  return true;
}

int ThreadActuator::bring_about(const FrameThreads& threads, const ThreadPlans& plans) {
  if (threads.pid <= 0) {
    return ESRCH;
  }
  if (threads.pid != saved_.pid) {
    if (const int error = let_all_go(); error != 0) {
      return error;
    }
    saved_.pid = threads.pid;
    saved_.since = kernel_->ticks_now();
  }
  for (std::size_t i = 0; i < steered_.size(); ++i) {
    Steered& thread = steered_.at(i);
    const std::int32_t tid = threads.tids.at(i);
    if (thread.saved.tid != tid ||
        (tid != 0 && !kernel_->lives({saved_.pid, tid, thread.saved.born}))) {
      if (const int error = let_go(thread); error != 0) {
        return error;
      }
      if (const int error = tid > 0 ? adopt(thread, tid) : 0; error != 0) {
        return error;
      }
    }
    if (const int error =
            thread.saved.tid > 0 ? steer(thread, i < plans.size() ? plans[i] : ThreadPlan{}) : 0;
        error != 0 && error != ESRCH) {
      return error;
    }
  }
  return 0;
}

/// Takes in how the thread stands now: that is what it gets back.
int ThreadActuator::look(Steered& thread) const {
  const std::int32_t tid = thread.saved.tid;
  if (const int error = kernel_->read_cpus(tid, thread.room); error != 0) {
    return error;
  }
  thread.saved.cpus = thread.room == kernel_->open_cpus(saved_.pid, tid) ? kEveryCpu : thread.room;
  thread.asked_cpus = thread.saved.cpus;
  thread.cpus = thread.room;
  if (means_.levers.clamps) {
    if (const int error = kernel_->read_clamp(tid, thread.saved.clamp); error != 0) {
      return error;
    }
  }
  thread.clamp = thread.saved.clamp;
  return 0;
}

/// A thread that is not there is none: the next frame says who takes its place.
int ThreadActuator::adopt(Steered& thread, std::int32_t tid) {
  thread.saved = {};
  thread.saved.born = kernel_->born(saved_.pid, tid);
  if (thread.saved.born == 0) {
    return 0;
  }
  thread.saved.tid = tid;
  if (const int error = look(thread); error != 0) {
    thread.saved = {};
    return error == ESRCH ? 0 : error;
  }
  return save();
}

std::uint64_t ThreadActuator::cpus_for(const Steered& thread, const ThreadPlan& plan) const {
  std::uint64_t cpus = 0;
  for (std::size_t i = 0; i < topology_.clusters.size(); ++i) {
    cpus |= plan.may_run_on(i) ? topology_.clusters[i].cpus : 0;
  }
  cpus &= thread.room;
  return plan.clusters == 0 || cpus == 0 || cpus == thread.room ? thread.saved.cpus : cpus;
}

/// Within what was there: nobody's cap is exceeded, and nobody's floor undercut.
UtilClamp ThreadActuator::clamp_for(const Steered& thread, const ThreadPlan& plan) const {
  UtilClamp clamp = thread.saved.clamp;
  if (topology_.clusters.empty()) {
    return clamp;
  }
  const Speed fastest = topology_.clusters[topology_.fastest_cluster()].max_speed();
  const auto [low, high] = clamp;
  if (plan.cap.count() > 0) {
    clamp.max = std::clamp(util_of(plan.cap, fastest), low, high);
  }
  if (plan.floor.count() > 0) {
    clamp.min = std::clamp(util_of(plan.floor, fastest), low, clamp.max);
  }
  return clamp;
}

int ThreadActuator::steer(Steered& thread, const ThreadPlan& plan) {
  // Where it runs first: a clamp is a speed there.
  if (const int error = means_.levers.placement ? place(thread, cpus_for(thread, plan)) : 0;
      error != 0) {
    return error;
  }
  return means_.levers.clamps ? clamp(thread, clamp_for(thread, plan)) : 0;
}

int ThreadActuator::place(Steered& thread, std::uint64_t cpus) {
  if (cpus == thread.asked_cpus) {
    return 0;
  }
  const std::int32_t tid = thread.saved.tid;
  std::uint64_t there = 0;
  if (const int error = kernel_->read_cpus(tid, there); error != 0) {
    return error;
  }
  // A cpuset or CPUs that went offline may have taken some away: the rest is still as asked for.
  if (there != thread.cpus && (thread.asked_cpus & kernel_->open_cpus(saved_.pid, tid)) != there) {
    return EBUSY;
  }
  if (cpus != thread.saved.cpus && !saved_.asked.has(cpus)) {
    const int error = saved_.asked.add(cpus) ? save() : ENOSPC;
    if (error != 0) {
      return error;
    }
  }
  ++counters_.writes;
  if (const int error = kernel_->write_cpus(tid, cpus); error != 0) {
    return error;
  }
  thread.asked_cpus = cpus;
  if (const int error = kernel_->read_cpus(tid, thread.cpus); error != 0) {
    return error;
  }
  return (thread.cpus & ~cpus) == 0 ? 0 : EIO;
}

int ThreadActuator::clamp(Steered& thread, const UtilClamp& clamp) {
  if (clamp == thread.clamp) {
    return 0;
  }
  const std::int32_t tid = thread.saved.tid;
  UtilClamp there;
  if (const int error = kernel_->read_clamp(tid, there); error != 0) {
    return error;
  }
  if (there != thread.clamp) {
    return EBUSY;
  }
  if (!saved_.asked.has(clamp)) {
    const int error = saved_.asked.add(clamp) ? save() : ENOSPC;
    if (error != 0) {
      return error;
    }
  }
  ++counters_.writes;
  if (const int error = kernel_->write_clamp(tid, clamp); error != 0) {
    return error;
  }
  thread.clamp = clamp;
  if (const int error = kernel_->read_clamp(tid, there); error != 0) {
    return error;
  }
  return there == clamp ? 0 : EIO;
}

int ThreadActuator::let_go(Steered& thread) {
  const int error = thread.saved.tid > 0 && !thread.untouched()
                        ? put_back(*kernel_, saved_.pid, thread.saved, saved_.asked)
                        : 0;
  if (error == 0) {
    thread = {};
  }
  return error;
}

int ThreadActuator::let_all_go() {
  last_threads_ = {};
  last_plans_.clear();
  if (saved_.pid == 0) {
    return 0;
  }
  // Those that they started take over what stands, so they come after them.
  int first = 0;
  for (Steered& thread : steered_) {
    const int error = let_go(thread);
    first = first == 0 ? error : first;
  }
  const int heirs = free_heirs(*kernel_, saved_);
  first = first == 0 ? heirs : first;
  if (first == 0) {
    saved_.pid = 0;
    saved_.asked = {};
    saved_.threads.clear();
    longest_ = 0;
    // An empty file says that nothing is owed.
    first = file_ && ::ftruncate(file_.get(), 0) != 0 ? errno : 0;
  }
  return first;
}

int ThreadActuator::save() {
  if (!file_) {
    auto opened = state_dir_.keep_file(kSavedThreadsFile);
    if (!opened) {
      log_.error("threads-unsaved", "the threads cannot be saved, so none will be changed: " +
                                        opened.error().to_string());
      means_.levers = {};
      return ENOSPC;
    }
    file_ = *std::move(opened);
  }
  saved_.threads.clear();
  for (const Steered& thread : steered_) {
    if (thread.saved.tid > 0) {
      saved_.threads.push_back(thread.saved);
    }
  }
  write_text(saved_, text_);
  // The new text lies over the old one in one call, so that no kill leaves half of each.
  longest_ = std::max(longest_, text_.size());
  text_.append(longest_ - text_.size(), '\n');
  const ssize_t written = ::pwrite(file_.get(), text_.data(), text_.size(), 0);
  return written == static_cast<ssize_t>(text_.size()) ? 0 : written < 0 ? errno : ENOSPC;
}

void ThreadActuator::give_up(int error, Instant now) {
  ++counters_.given_up;
  const bool again = is_known(rest_until_) && now - rest_until_ < kForgiven;
  rest_ = again ? std::min(2 * rest_, kLongestRest) : kFirstRest;
  rest_until_ = now + rest_;
  const std::int32_t pid = saved_.pid;
  const int owed = let_all_go();
  const bool told = !means_.levers.any() || (is_known(told_at_) && now - told_at_ < kTellEvery);
  if (told) {
    return;
  }
  told_at_ = now;
  log_.warning("threads-left-alone",
               "threads of process " + std::to_string(pid) + " are left alone for a time that " +
                   "grows each time: " + words_of(error) +
                   "; caps and floors alone govern its frames" +
                   (owed == 0 ? "" : ". What they had is not back yet: " + words_of(owed)));
}

void ThreadActuator::refresh(Instant now) {
  if (!stand() || (is_known(heirs_freed_at_) && now - heirs_freed_at_ < kHeirsEvery)) {
    return;
  }
  heirs_freed_at_ = now;
  (void)free_heirs(*kernel_, saved_);  // what fails is tried again
}

Status ThreadActuator::restore() {
  if (const int error = let_all_go(); error != 0) {
    return fail_errno(error,
                      "process " + std::to_string(saved_.pid) +
                          ": its threads' CPUs and clamps could not be put back",
                      "framegovd --restore tries again");
  }
  if (!file_) {
    return {};
  }
  file_.reset();
  return state_dir_.remove_file(kSavedThreadsFile);
}

void ThreadActuator::put_back_in_handler() {
  for (const Steered& thread : steered_) {
    if (thread.saved.tid > 0 && kernel_->lives({saved_.pid, thread.saved.tid, thread.saved.born})) {
      std::uint64_t cpus = 0;
      UtilClamp clamp;
      if (kernel_->read_cpus(thread.saved.tid, cpus) == 0 && saved_.asked.has(cpus)) {
        (void)kernel_->write_cpus(thread.saved.tid, thread.saved.cpus);
      }
      if (kernel_->read_clamp(thread.saved.tid, clamp) == 0 && saved_.asked.has(clamp)) {
        (void)kernel_->write_clamp(thread.saved.tid, thread.saved.clamp);
      }
    }
  }
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/static_vector.h"
#include "base/thread_plan.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"
#include "governor/threads/saved_threads.h"
#include "governor/threads/thread_kernel.h"
#include "governor/threads/thread_means.h"

namespace framegov {

/// One plan for each of a frame's threads.
using ThreadPlans = StaticVector<ThreadPlan, kMaxFrameThreads>;

/// The threads that plans mean, of the app that governs: kUiThread and kRenderThread. Zero: not
/// known.
struct FrameThreads {
  std::int32_t pid{};
  std::array<std::int32_t, 2> tids{};
  constexpr bool operator==(const FrameThreads&) const = default;

  /// A start or a frame of process `of` names its threads; zeros name none.
  constexpr void learn(std::int32_t of, std::int32_t ui, std::int32_t render) {
    if (of != pid) {
      *this = {of, {}};
    }
    tids[kUiThread] = ui > 0 ? ui : tids[kUiThread];
    tids[kRenderThread] = render > 0 ? render : tids[kRenderThread];
  }
};

/// Totals since the service began.
struct ThreadCounters {
  std::uint64_t writes{};    ///< of affinities and clamps
  std::uint64_t given_up{};  ///< times that an app's threads were left alone for a while
};

/// Brings about where a frame's threads run and how busy they are taken for, and puts everything
/// back.
///
/// What was there is saved in the state folder before a thread is written; without that none is.
/// What somebody else asks of a thread meanwhile (the app, a service of the phone) stays: then, and
/// whenever something cannot be brought about, all threads of the app are put back and left alone
/// for a second, and for twice as long each time. Nothing is done, and nothing saved, until a plan
/// asks for it. The loop's part does not allocate unless something is new. One thread.
class ThreadActuator {
 public:
  ThreadActuator(std::unique_ptr<ThreadKernel> kernel, ThreadMeans means,
                 const CpuTopology& topology, StateDir state_dir, std::string boot_id, Log& log);
  ThreadActuator(const ThreadActuator&) = delete;
  ThreadActuator& operator=(const ThreadActuator&) = delete;
  ~ThreadActuator();

  /// Writes what differs from the last plans; threads without one are put back. False where it
  /// could not be brought about, so that what was planned for these threads does not hold.
  [[nodiscard]] bool apply(const FrameThreads& threads, const ThreadPlans& plans, Instant now);

  /// What plans may ask for now.
  [[nodiscard]] ThreadLevers levers(Instant now) const;
  /// What the kernel can, in words.
  [[nodiscard]] const std::string& means() const { return means_.words; }

  /// May something of ours stand?
  [[nodiscard]] bool stand() const { return saved_.pid != 0; }

  /// Once a second, while something stands: threads that have inherited it get rid of it.
  void refresh(Instant now);

  /// Puts back what was there before the first write, and removes the file; on failure that stays
  /// for the next start.
  [[nodiscard]] Status restore();

  /// The same for a signal handler that has interrupted this thread anywhere, when the process is
  /// about to end: no allocation and no lock; the file stays, for what threads have inherited.
  void put_back_in_handler();

  [[nodiscard]] const ThreadCounters& counters() const { return counters_; }

 private:
  /// A thread that has been written, or is about to be.
  struct Steered {
    SavedThread saved;           ///< tid 0: none
    std::uint64_t room{};        ///< where it could run when it was saved
    std::uint64_t asked_cpus{};  ///< saved.cpus: nothing of ours
    std::uint64_t cpus{};        ///< what the kernel made of that
    UtilClamp clamp;             ///< what stands
    [[nodiscard]] bool untouched() const {
      return asked_cpus == saved.cpus && clamp == saved.clamp;
    }
  };

  [[nodiscard]] bool resting(Instant now) const { return now < rest_until_; }
  [[nodiscard]] int bring_about(const FrameThreads& threads, const ThreadPlans& plans);
  [[nodiscard]] int steer(Steered& thread, const ThreadPlan& plan);
  [[nodiscard]] int place(Steered& thread, std::uint64_t cpus);
  [[nodiscard]] int clamp(Steered& thread, const UtilClamp& clamp);
  [[nodiscard]] int adopt(Steered& thread, std::int32_t tid);
  [[nodiscard]] int look(Steered& thread) const;
  [[nodiscard]] std::uint64_t cpus_for(const Steered& thread, const ThreadPlan& plan) const;
  [[nodiscard]] UtilClamp clamp_for(const Steered& thread, const ThreadPlan& plan) const;
  [[nodiscard]] int let_go(Steered& thread);
  [[nodiscard]] int let_all_go();
  [[nodiscard]] int save();
  void give_up(int error, Instant now);

  std::unique_ptr<ThreadKernel> kernel_;
  ThreadMeans means_;
  CpuTopology topology_;
  StateDir state_dir_;
  Log& log_;
  SavedThreads saved_;  ///< pid 0: nothing stands
  std::array<Steered, 2> steered_;
  FrameThreads last_threads_;
  ThreadPlans last_plans_;
  UniqueFd file_;
  std::string text_;         ///< of the file
  std::size_t longest_ = 0;  ///< of the texts in it
  Instant rest_until_;
  Duration rest_{};
  Instant told_at_;
  Instant heirs_freed_at_;
  ThreadCounters counters_;
};

}  // namespace framegov

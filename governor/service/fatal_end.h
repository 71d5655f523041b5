// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

#include "governor/cpufreq/actuator.h"
#include "governor/threads/thread_actuator.h"

namespace framegov {

/// Puts the limits back when the process ends by a fault of its own, before it ends: a broken rule
/// or assertion, a smashed stack, an exception that nobody takes (SIGABRT), an access to memory
/// that is not there (SIGSEGV, SIGBUS), LoopWatchdog (SIGXCPU). A supervisor would do so too, but
/// framegovd may have none. What is done is open, pread, pwrite,
/// the scheduler's calls and sleep: nothing is allocated,
/// and no lock is taken, whatever the fault has interrupted. The saved limits stay, for the next
/// start to look at.
///
/// The loop's thread does it, wherever the fault is: who still went on with a turn could cap again.
/// To be made and ended by that thread; one at a time. Afterwards the signal does what it did
/// before this was made.
class FatalEnd {
 public:
  static constexpr std::array kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGXCPU};

  /// `threads`: null where they are left alone.
  explicit FatalEnd(Actuator& actuator, ThreadActuator* threads = nullptr);
  ~FatalEnd();
  FatalEnd(const FatalEnd&) = delete;
  FatalEnd& operator=(const FatalEnd&) = delete;

 private:
  static void on_signal(int signal, siginfo_t* info, void* context);
  void put_back(int signal);
  void let_go();

  /// The handler must work where the fault is a stack that is full.
  static constexpr std::size_t kStackBytes = std::size_t{64} * 1024;

  Actuator& actuator_;
  ThreadActuator* threads_;
  pid_t process_;
  pid_t loop_;  ///< thread
  std::atomic_flag begun_;
  std::array<struct sigaction, kSignals.size()> before_{};
  stack_t stack_before_{};
  alignas(16) std::array<std::byte, kStackBytes> stack_;
};

}  // namespace framegov

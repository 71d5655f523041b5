// SPDX-License-Identifier: Apache-2.0
#include "governor/service/fatal_end.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace framegov {

namespace {

/// Whoever has a fault leaves the loop's thread so much time to put the limits back.
constexpr timespec kLoopsTime{2, 0};

/// The one there is; signal handlers are the process's.
std::atomic<FatalEnd*> the_fatal_end = nullptr;

pid_t this_thread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

}  // namespace

FatalEnd::FatalEnd(Actuator& actuator, ThreadActuator* threads)
    : actuator_(actuator), threads_(threads), process_(::getpid()), loop_(this_thread()) {
  stack_t stack{};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  ::sigaltstack(&stack, &stack_before_);
  the_fatal_end = this;
  struct sigaction action {};
  action.sa_sigaction = &FatalEnd::on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &before_[i]);
  }
}

FatalEnd::~FatalEnd() {
  let_go();
  the_fatal_end = nullptr;
  ::sigaltstack(&stack_before_, nullptr);
}

void FatalEnd::let_go() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

void FatalEnd::on_signal(int signal, siginfo_t* info, void* /*context*/) {
  const int error = errno;
  if (FatalEnd* const end = the_fatal_end; end != nullptr) {
    end->put_back(signal);
  }
  // A fault comes again, now to whom it went before; what was sent would not.
  if (info->si_code <= 0) {
    ::raise(signal);
  }
  errno = error;
}

void FatalEnd::put_back(int signal) {
  if (::getpid() != process_) {
    let_go();  // a child that has yet to become another program
    return;
  }
  if (this_thread() != loop_) {
    ::syscall(SYS_tgkill, process_, loop_, signal);
    ::nanosleep(&kLoopsTime, nullptr);  // the process ends meanwhile, unless the loop is stuck
  }
  const bool first = !begun_.test_and_set();
  let_go();  // whatever is wrong with what follows ends the process
  if (first) {
    actuator_.put_back_in_handler();
    if (threads_ != nullptr) {
      threads_->put_back_in_handler();
    }
  }
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/threads/other_app.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

namespace framegov::test {

namespace {

struct Command {
  char what{};
  std::int32_t number{};
};

std::int32_t own_tid() { return static_cast<std::int32_t>(::syscall(SYS_gettid)); }

/// A thread that sleeps until it is told to end.
struct Sleeper {
  std::atomic<std::int32_t> tid = 0;
  std::atomic<bool> end = false;
  std::thread thread{[this] {
    tid = own_tid();
    tid.notify_all();
    end.wait(false);
  }};
  ~Sleeper() {
    end = true;
    end.notify_all();
    thread.join();
  }
};

std::int32_t number_of(Sleeper& sleeper) {
  sleeper.tid.wait(0);
  return sleeper.tid;
}

void work_a_little() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2};
  while (std::chrono::steady_clock::now() < end) {
  }
}

}  // namespace

OtherApp::OtherApp(uid_t user) {
  std::array<int, 2> commands{};
  std::array<int, 2> answers{};
  if (::pipe(commands.data()) != 0 || ::pipe(answers.data()) != 0) {
    std::abort();
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    if (user != 0 && ::setresuid(user, user, user) != 0) {
      ::_exit(1);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
      ::_exit(1);
    }
    ::close(commands[1]);
    ::close(answers[0]);
    live(commands[0], answers[1]);
  }
  ::close(commands[0]);
  ::close(answers[1]);
  ends_ = {commands[1], answers[0]};
  render_ = ask('r');
}

OtherApp::~OtherApp() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::close(ends_[0]);
  ::close(ends_[1]);
}

std::int32_t OtherApp::ask(char what, std::int32_t number) {
  const Command command{what, number};
  std::int32_t answer = -1;
  if (::write(ends_[0], &command, sizeof command) != sizeof command ||
      ::read(ends_[1], &answer, sizeof answer) != sizeof answer) {
    return -1;
  }
  return answer;
}

void OtherApp::live(int commands, int answers) {
  Sleeper render;
  std::unique_ptr<Sleeper> started;
  Command command;
  while (::read(commands, &command, sizeof command) == sizeof command) {
    std::int32_t answer = 0;
    switch (command.what) {
      case 'r':
        answer = number_of(render);
        break;
      case 'w':
        work_a_little();
        answer = ::sched_getcpu();
        break;
      case 's':
        started = std::make_unique<Sleeper>();
        answer = number_of(*started);
        break;
      case 'e':
        started.reset();
        break;
      default: {
        const std::uint64_t cpus = std::uint64_t{1} << static_cast<unsigned>(command.number);
        answer = ::syscall(SYS_sched_setaffinity, 0, sizeof cpus, &cpus) < 0 ? errno : 0;
      }
    }
    if (::write(answers, &answer, sizeof answer) != sizeof answer) {
      break;
    }
  }
  ::_exit(0);
}

}  // namespace framegov::test

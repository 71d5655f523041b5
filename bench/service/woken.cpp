// SPDX-License-Identifier: Apache-2.0
// woken TIMES-A-SECOND SECONDS: the CPU share of a process that does nothing but wake up so often,
// as another one tells it to. What is left of a service's share is its own.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "base/time.h"
#include "base/unique_fd.h"

namespace {

[[noreturn]] void wake(int event, double times_a_second) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::chrono::duration<double> period(1 / times_a_second);
  while (true) {
    const std::uint64_t one = 1;
    (void)!::write(event, &one, sizeof(one));
    std::this_thread::sleep_for(period);
  }
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return framegov::to_seconds(framegov::to_duration(time));
}

}  // namespace

int main(int argc, char** argv) {
  const double times_a_second = argc == 3 ? std::atof(argv[1]) : 0;
  const double seconds = argc == 3 ? std::atof(argv[2]) : 0;
  const framegov::UniqueFd event(::eventfd(0, EFD_CLOEXEC));
  const framegov::UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event readable{};
  readable.events = EPOLLIN;
  if (times_a_second <= 0 || seconds <= 0 || !event ||
      ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, event.get(), &readable) != 0) {
    std::fputs("usage: woken TIMES-A-SECOND SECONDS\n", stderr);
    return 2;
  }
  if (::fork() == 0) {
    wake(event.get(), times_a_second);
  }
  const double begin = cpu_seconds();
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int wakeups = 0;
  for (; std::chrono::steady_clock::now() < end; ++wakeups) {
    epoll_event ready{};
    std::uint64_t count = 0;
    (void)::epoll_wait(epoll.get(), &ready, 1, -1);
    (void)!::read(event.get(), &count, sizeof(count));
  }
  std::printf("%.6f %d\n", (cpu_seconds() - begin) / seconds, wakeups);
}

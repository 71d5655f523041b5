// SPDX-License-Identifier: Apache-2.0
// What a confined service still does, and what Landlock refuses by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"
#include "tests/unit/confinement/confined_process.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using test::errno_of;
using test::Place;

sockaddr_un abstract_address(std::string_view name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  return address;
}

int connect_to_abstract(std::string_view name) {
  const UniqueFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address = abstract_address(name);
  return fd ? errno_of(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address))
            : errno;
}

int bind_at(const std::string& path) {
  const UniqueFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return fd ? errno_of(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address))
            : errno;
}

class Confined : public ::testing::Test, protected test::ConfinedProcess {};

TEST_F(Confined, ReadsOtherMemoryWhereFramesComeThroughTracefs) {
  const auto answer = [](long number) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      (void)allow_service_calls(MemoryReading::kAllowed);
      ::_exit(errno_of(::syscall(number, -1, -1, -1, -1, -1, -1)));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_NE(answer(SYS_process_vm_readv), EPERM);
  EXPECT_EQ(answer(SYS_process_vm_writev), EPERM);
  EXPECT_EQ(answer(SYS_ptrace), EPERM);
}

TEST_F(Confined, SteersThreadsWhereTheKernelLetsItAndAsItDoesIt) {
  const auto answer = [](ThreadSteering steering, long number, auto... arguments) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      (void)allow_service_calls(MemoryReading::kRefused, steering);
      ::_exit(errno_of(::syscall(number, arguments...)));
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  std::uint64_t cpus = ~std::uint64_t{0};
  const auto allowed = ThreadSteering::kAllowed;
  EXPECT_EQ(answer(allowed, SYS_sched_setaffinity, 0, 8, &cpus), 0);
  EXPECT_EQ(answer(allowed, SYS_sched_setaffinity, 0, 128, &cpus), EPERM);
  EXPECT_NE(answer(allowed, SYS_sched_setattr, 0, nullptr, 0), EPERM);
  EXPECT_EQ(answer(allowed, SYS_sched_setattr, 0, nullptr, 1), EPERM);
  EXPECT_EQ(answer(allowed, SYS_sched_setscheduler, 0, 0, nullptr), EPERM);
  const auto refused = ThreadSteering::kRefused;
  EXPECT_EQ(answer(refused, SYS_sched_setaffinity, 0, 8, &cpus), EPERM);
  EXPECT_EQ(answer(refused, SYS_sched_setattr, 0, nullptr, 0), EPERM);
  EXPECT_EQ(answer(refused, SYS_sched_getattr, 0, nullptr, 56, 0), EPERM);
}

TEST_F(Confined, ReadsAndWritesTheMapsThatItHas) {
  for (const int command : {BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM}) {
    const auto call = [command](const Place&) {
      bpf_attr attributes{};
      attributes.map_fd = ~0U;
      return errno_of(::syscall(SYS_bpf, command, &attributes, sizeof attributes));
    };
    if (::geteuid() == 0) {
      EXPECT_EQ(answer(Landlock::kMissing, call), EBADF) << command;
    }
  }
}

TEST_F(Confined, ACallThatIsNewerThanTheListIsNotThere) {
  const auto call = [](const Place&) { return errno_of(::syscall(2000, 0)); };
  EXPECT_EQ(answer(Landlock::kMissing, call), ENOSYS);
  const auto clone3 = [](const Place&) { return errno_of(::syscall(SYS_clone3, 0, 0)); };
  EXPECT_EQ(answer(Landlock::kMissing, clone3), ENOSYS);
}

/// The rights that came with later versions of Landlock, with no filter in their way.
TEST_F(Confined, LandlockAloneKeepsSocketsAndSignalsOfOthersOut) {
  if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) < 6) {
    GTEST_SKIP() << "the kernel's Landlock is older than version 6 (Linux 6.12)";
  }
  const auto answer = [this](const std::function<int()>& call) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      ::_exit(confine_files({{at_.own}, {}, {}}) ? call() : test::kNotConfined);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  const UniqueFd listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address = abstract_address("framegov-test-scope");
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(connect_to_abstract("framegov-test-scope"), 0);
  EXPECT_EQ(answer([] { return connect_to_abstract("framegov-test-scope"); }), EPERM);
  EXPECT_EQ(answer([] { return errno_of(::kill(::getppid(), SIGCONT)); }), EPERM);
  EXPECT_EQ(answer([this] { return bind_at(at_.in_other("socket")); }), EACCES);
  EXPECT_EQ(answer([this] { return errno_of(::truncate(at_.in_other("file").c_str(), 0)); }),
            EACCES);
  EXPECT_EQ(answer([this] { return errno_of(::truncate(at_.in_own("file").c_str(), 0)); }), 0);
}

/// Each step of what a service does while it runs, by its own code.
TEST_F(Confined, DoesItsOwnWork) {
  const auto work = [](const Place& at) {
    auto log = Log::open(LogLevel::kDebug, at.in_own("log"));
    if (!log) {
      return 1;
    }
    // More than a file takes, so that it is rotated.
    const std::string line(100000, 'x');
    for (int i = 0; i < 200; ++i) {
      (*log)->debug(line);
    }
    if (!fs::exists(at.own / "log.1")) {
      return 2;
    }
    const auto state = StateDir::open(at.own / "state");
    if (!state || !state->write_file("limits", "1\n") || !state->read_file("limits")) {
      return 3;
    }
    int sum = 0;
    std::thread([&sum] {
      for (int i = 0; i < 100; ++i) {
        sum += static_cast<int>(std::vector<char>(1000000, 1).size() / 1000000);
      }
    }).join();
    if (sum != 100) {
      return 4;
    }
    try {
      throw std::runtime_error("x");
    } catch (const std::runtime_error&) {
      sum = 0;
    }
    std::ifstream self("/proc/self/status");
    return self.good() ? sum : 5;
  };
  // The state folder is made before, as it is by a service.
  ASSERT_TRUE(StateDir::open(at_.own / "state"));
  EXPECT_EQ(answer(Landlock::kMissing, work), 0);
  EXPECT_EQ(answer(Landlock::kInForce, work), 0);
}

/// A crash must stay one: the supervisor reads it from the signal.
TEST_F(Confined, AbortStillEndsIt) {
  const auto call = [](const Place&) -> int { std::abort(); };
  EXPECT_EQ(answer(Landlock::kMissing, call), 128 + SIGABRT);
}

}  // namespace
}  // namespace framegov

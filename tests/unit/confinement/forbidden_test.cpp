// SPDX-License-Identifier: Apache-2.0
// All that docs/security.md says a service that was taken over cannot do, each attempted by a
// process that is confined as the service is, where the kernel has Landlock and where it has not.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>

#include "base/unique_fd.h"
#include "tests/unit/confinement/confined_process.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

using test::errno_of;
using test::Place;

struct Attempt {
  const char* name;
  std::function<int(const Place&)> call;  ///< 0 or an errno
  enum class Refused { kAlways, kByLandlock } refused = Refused::kAlways;
};

int count_thread(std::uint64_t sample) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_type = sample;
  attributes.sample_stack_user = sample == 0 ? 0 : 4096;
  return errno_of(::syscall(SYS_perf_event_open, &attributes, 1, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

int map(int protection, int flags, const std::string& file = {}) {
  const UniqueFd fd{file.empty() ? -1 : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  void* const at = ::mmap(nullptr, 4096, protection, flags | (fd ? 0 : MAP_ANONYMOUS), fd.get(), 0);
  return at == MAP_FAILED ? errno : 0;
}

/// A call with arguments that the kernel could not take: it is the filter's answer that is seen.
template <long number>
int bare(const Place&) {
  return errno_of(::syscall(number, -1, -1, -1, -1, -1, -1));
}

int open_at(const std::string& path, int flags) {
  return errno_of(::open(path.c_str(), flags | O_CLOEXEC, 0600));
}

const Attempt kAttempts[] = {
    // Files of others: their content ...
    {"open_to_write", [](const Place& at) { return open_at(at.in_other("file"), O_WRONLY); },
     Attempt::Refused::kByLandlock},
    {"open_to_read_and_write", [](const Place& at) { return open_at(at.in_other("file"), O_RDWR); },
     Attempt::Refused::kByLandlock},
    {"open_truncating",
     [](const Place& at) { return open_at(at.in_other("file"), O_WRONLY | O_TRUNC); },
     Attempt::Refused::kByLandlock},
    {"create", [](const Place& at) { return open_at(at.in_other("new"), O_WRONLY | O_CREAT); },
     Attempt::Refused::kByLandlock},
    {"create_unnamed", [](const Place& at) { return open_at(at.other, O_WRONLY | O_TMPFILE); },
     Attempt::Refused::kByLandlock},
    {"truncate",
     [](const Place& at) { return errno_of(::truncate(at.in_other("file").c_str(), 0)); }},
    // ... their names ...
    {"unlink", [](const Place& at) { return errno_of(::unlink(at.in_other("file").c_str())); },
     Attempt::Refused::kByLandlock},
    {"rmdir", [](const Place& at) { return errno_of(::rmdir(at.in_other("empty").c_str())); },
     Attempt::Refused::kByLandlock},
    {"mkdir", [](const Place& at) { return errno_of(::mkdir(at.in_other("new").c_str(), 0700)); },
     Attempt::Refused::kByLandlock},
    {"rename",
     [](const Place& at) {
       return errno_of(::rename(at.in_other("file").c_str(), at.in_other("new").c_str()));
     },
     Attempt::Refused::kByLandlock},
    {"rename_out_of_its_own",
     [](const Place& at) {
       return errno_of(::rename(at.in_own("file").c_str(), at.in_other("file").c_str()));
     },
     Attempt::Refused::kByLandlock},
    {"rename_into_its_own",
     [](const Place& at) {
       return errno_of(::rename(at.in_other("file").c_str(), at.in_own("new").c_str()));
     },
     Attempt::Refused::kByLandlock},
    {"link",
     [](const Place& at) {
       return errno_of(::link(at.in_other("file").c_str(), at.in_own("new").c_str()));
     }},
    {"symlink",
     [](const Place& at) { return errno_of(::symlink("/etc", at.in_own("new").c_str())); }},
    {"make_a_fifo",
     [](const Place& at) { return errno_of(::mkfifo(at.in_own("new").c_str(), 0600)); }},
    {"make_a_device",
     [](const Place& at) {
       return errno_of(::mknod(at.in_own("new").c_str(), S_IFCHR | 0600, 0x103));
     }},
    // ... and who may use them.
    {"chmod", [](const Place& at) { return errno_of(::chmod(at.in_other("file").c_str(), 0666)); }},
    {"fchmod",
     [](const Place& at) {
       const UniqueFd fd{::open(at.in_other("file").c_str(), O_RDONLY)};
       return errno_of(::fchmod(fd.get(), 0666));
     }},
    {"fchmodat",
     [](const Place& at) {
       return errno_of(::fchmodat(AT_FDCWD, at.in_own("file").c_str(), 04755, 0));
     }},
    {"chown", [](const Place& at) { return errno_of(::chown(at.in_other("file").c_str(), 1, 1)); }},
    {"setxattr",
     [](const Place& at) {
       return errno_of(::setxattr(at.in_other("file").c_str(), "security.selinux", "x", 1, 0));
     }},
    {"removexattr",
     [](const Place& at) {
       return errno_of(::removexattr(at.in_other("file").c_str(), "security.selinux"));
     }},
    {"utimes",
     [](const Place& at) { return errno_of(::utimes(at.in_other("file").c_str(), nullptr)); }},
    // Programs and processes.
    {"execute",
     [](const Place&) {
       ::execl("/proc/self/exe", "x", nullptr);
       return errno;
     }},
    {"fork", [](const Place&) { return errno_of(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }},
    {"namespaces",
     [](const Place&) {
       return errno_of(::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
     }},
    {"signal_another", [](const Place&) { return errno_of(::kill(::getppid(), SIGCONT)); }},
    {"signal_a_thread_of_another",
     [](const Place&) {
       return errno_of(::syscall(SYS_tgkill, ::getppid(), ::getppid(), SIGCONT));
     }},
    {"raise_a_limit",
     [](const Place&) {
       const rlimit limit{4, 4};
       return errno_of(::setrlimit(RLIMIT_NOFILE, &limit));
     }},
    {"limits_of_another",
     [](const Place&) {
       rlimit limit{};
       return errno_of(::prlimit(::getppid(), RLIMIT_NOFILE, nullptr, &limit));
     }},
    {"ptrace", bare<SYS_ptrace>},
    {"process_vm_readv", bare<SYS_process_vm_readv>},
    {"process_vm_writev", bare<SYS_process_vm_writev>},
    {"pidfd_getfd", bare<SYS_pidfd_getfd>},
    {"pidfd_send_signal", bare<SYS_pidfd_send_signal>},
    {"sched_setscheduler", bare<SYS_sched_setscheduler>},
    {"sched_setaffinity", bare<SYS_sched_setaffinity>},
    {"sched_setattr", bare<SYS_sched_setattr>},
    // What others do and hold in memory.
    {"perf_event_open", [](const Place&) { return count_thread(0); }},
    {"perf_event_open_with_a_stack",
     [](const Place&) { return count_thread(PERF_SAMPLE_STACK_USER); }},
    {"shared_memory",
     [](const Place& at) { return map(PROT_READ, MAP_SHARED, at.in_other("file")); }},
    {"executable_memory", [](const Place&) { return map(PROT_READ | PROT_EXEC, MAP_PRIVATE); }},
    {"memory_made_executable",
     [](const Place&) {
       void* const at =
           ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
       return errno_of(::mprotect(at, 4096, PROT_READ | PROT_EXEC));
     }},
    {"memfd_create", bare<SYS_memfd_create>},
    {"shmget", bare<SYS_shmget>},
    // Sockets.
    {"unix_socket", [](const Place&) { return errno_of(::socket(AF_UNIX, SOCK_STREAM, 0)); }},
    {"inet_socket", [](const Place&) { return errno_of(::socket(AF_INET, SOCK_DGRAM, 0)); }},
    {"netlink_socket", [](const Place&) { return errno_of(::socket(AF_NETLINK, SOCK_RAW, 0)); }},
    {"packet_socket", [](const Place&) { return errno_of(::socket(AF_PACKET, SOCK_RAW, 0)); }},
    {"datagram_socketpair",
     [](const Place&) {
       int ends[2];
       return errno_of(::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
     }},
    {"connect", bare<SYS_connect>},
    // The kernel.
    {"bpf_program", [](const Place&) { return errno_of(::syscall(SYS_bpf, BPF_PROG_LOAD, 0, 0)); }},
    {"bpf_map", [](const Place&) { return errno_of(::syscall(SYS_bpf, BPF_MAP_CREATE, 0, 0)); }},
    {"bpf_link", [](const Place&) { return errno_of(::syscall(SYS_bpf, BPF_LINK_CREATE, 0, 0)); }},
    {"bpf_object", [](const Place&) { return errno_of(::syscall(SYS_bpf, BPF_OBJ_GET, 0, 0)); }},
    {"probe_of_a_counter",
     [](const Place&) { return errno_of(::syscall(SYS_ioctl, -1, PERF_EVENT_IOC_SET_BPF, -1)); }},
    {"output_of_a_counter",
     [](const Place&) {
       return errno_of(::syscall(SYS_ioctl, -1, PERF_EVENT_IOC_SET_OUTPUT, -1));
     }},
    {"mount", bare<SYS_mount>},
    {"umount2", bare<SYS_umount2>},
    {"move_mount", bare<SYS_move_mount>},
    {"pivot_root", bare<SYS_pivot_root>},
    {"chroot", bare<SYS_chroot>},
    {"setns", bare<SYS_setns>},
    {"unshare", bare<SYS_unshare>},
    {"open_by_handle_at", bare<SYS_open_by_handle_at>},
    {"init_module", bare<SYS_init_module>},
    {"finit_module", bare<SYS_finit_module>},
    {"delete_module", bare<SYS_delete_module>},
    {"kexec_load", bare<SYS_kexec_load>},
    {"reboot", bare<SYS_reboot>},
    {"swapon", bare<SYS_swapon>},
    {"syslog", bare<SYS_syslog>},
    {"userfaultfd", bare<SYS_userfaultfd>},
    {"settimeofday", bare<SYS_settimeofday>},
    {"clock_settime", bare<SYS_clock_settime>},
    {"adjtimex", bare<SYS_adjtimex>},
    {"sethostname", bare<SYS_sethostname>},
    {"keyctl", bare<SYS_keyctl>},
    {"io_uring_setup", bare<SYS_io_uring_setup>},
    {"fanotify_init", bare<SYS_fanotify_init>},
    {"personality", bare<SYS_personality>},
    {"setuid", bare<SYS_setuid>},
    {"capset", bare<SYS_capset>},
    {"another_filter", bare<SYS_seccomp>},
    {"become_dumpable",
     [](const Place&) { return errno_of(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }},
};

class Forbidden : public ::testing::TestWithParam<Attempt>, protected test::ConfinedProcess {};

TEST_P(Forbidden, IsRefusedWithoutLandlock) {
  const int answer = this->answer(Landlock::kMissing, GetParam().call);
  if (GetParam().refused == Attempt::Refused::kAlways) {
    EXPECT_EQ(answer, EPERM);
  } else {
    EXPECT_EQ(answer, 0) << "docs/security.md says that it takes Landlock";
  }
}

TEST_P(Forbidden, IsRefusedWithLandlock) {
  if (!kernel_has_landlock()) {
    GTEST_SKIP() << "the kernel has no Landlock";
  }
  EXPECT_THAT(answer(Landlock::kInForce, GetParam().call), ::testing::AnyOf(EPERM, EACCES, EXDEV));
  EXPECT_EQ(fs::file_size(at_.other / "file"), 5U);
  EXPECT_FALSE(fs::exists(at_.other / "new"));
}

INSTANTIATE_TEST_SUITE_P(All, Forbidden, ::testing::ValuesIn(kAttempts),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace framegov

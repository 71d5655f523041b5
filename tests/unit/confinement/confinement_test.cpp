// SPDX-License-Identifier: Apache-2.0
// Each thing that the service must not do, attempted by a process that is confined as it is.
#include "governor/confinement/confinement.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <functional>
#include <string>

#include "governor/confinement/capabilities.h"
#include "governor/confinement/system_call_filter.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

/// What `attempt` returns in a process of its own, after `confine`; 200 when that failed.
int in_child(const std::function<bool()>& confine, const std::function<int()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(confine() ? attempt() : 200);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// 0 or the errno of a system call.
template <class... Arguments>
int attempt(long number, Arguments... arguments) {
  return ::syscall(number, arguments...) < 0 ? errno : 0;
}

bool filtered() {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && refuse_command_calls().has_value();
}

/// The value of a line "key:\tHEX" of /proc/self/status.
std::uint64_t own_status(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    std::string value;
    if (word == key + ":" && file >> value) {
      return std::stoull(value, nullptr, 16);
    }
  }
  return ~std::uint64_t{0};
}

class SystemCallFilter : public ::testing::TestWithParam<std::pair<const char*, long>> {};

TEST_P(SystemCallFilter, Refuses) {
  // Arguments that the kernel could not take either: what is seen is the filter's answer.
  EXPECT_EQ(in_child(filtered, [] { return attempt(GetParam().second, -1, -1, -1, -1, -1, -1); }),
            EPERM);
}

INSTANTIATE_TEST_SUITE_P(
    All, SystemCallFilter,
    ::testing::Values(
        std::pair{"ptrace", SYS_ptrace}, std::pair{"process_vm_readv", SYS_process_vm_readv},
        std::pair{"process_vm_writev", SYS_process_vm_writev},
        std::pair{"pidfd_getfd", long{SYS_pidfd_getfd}}, std::pair{"mount", SYS_mount},
        std::pair{"umount2", SYS_umount2}, std::pair{"move_mount", long{SYS_move_mount}},
        std::pair{"pivot_root", SYS_pivot_root}, std::pair{"chroot", SYS_chroot},
        std::pair{"setns", SYS_setns}, std::pair{"unshare", SYS_unshare},
        std::pair{"open_by_handle_at", SYS_open_by_handle_at},
        std::pair{"init_module", SYS_init_module}, std::pair{"finit_module", SYS_finit_module},
        std::pair{"delete_module", SYS_delete_module}, std::pair{"kexec_load", SYS_kexec_load},
        std::pair{"reboot", SYS_reboot}, std::pair{"swapon", SYS_swapon},
        std::pair{"syslog", SYS_syslog}, std::pair{"userfaultfd", SYS_userfaultfd},
        std::pair{"settimeofday", SYS_settimeofday}, std::pair{"clock_settime", SYS_clock_settime},
        std::pair{"adjtimex", SYS_adjtimex}, std::pair{"sethostname", SYS_sethostname},
        std::pair{"keyctl", SYS_keyctl}, std::pair{"io_uring_setup", long{SYS_io_uring_setup}}),
    [](const auto& info) { return info.param.first; });

TEST(SystemCallFilterOfSockets, LeavesNothingThatReachesOutOfThePhone) {
  const auto socket = [](int family) {
    return in_child(filtered, [&] { return attempt(SYS_socket, family, SOCK_DGRAM, 0); });
  };
  EXPECT_EQ(socket(AF_INET), EPERM);
  EXPECT_EQ(socket(AF_INET6), EPERM);
  EXPECT_EQ(socket(AF_PACKET), EPERM);
  EXPECT_EQ(socket(AF_UNIX), 0);
}

TEST(SystemCallFilterOfProcesses, StartsCommandsButNoNamespaces) {
  EXPECT_EQ(
      in_child(filtered, [] { return attempt(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0); }),
      EPERM);
  EXPECT_EQ(in_child(filtered, [] { return WEXITSTATUS(std::system("exit 7")); }), 7);
  // What it starts is refused the same.
  EXPECT_EQ(in_child(filtered,
                     [] {
                       return in_child([] { return true; },
                                       [] { return attempt(SYS_reboot, -1, -1, -1, -1); });
                     }),
            EPERM);
}

TEST(ServiceCapabilities, AreWhatItsSourceNeeds) {
  const auto of = [](const char* kernel, SourceKind source, const HiddenProcesses& hidden = {}) {
    return names_of(service_capabilities(parse_release(kernel), source, hidden));
  };
  EXPECT_EQ(of("5.10.198-android13-4", SourceKind::kBpfRingBuffer), "dac_override bpf");
  EXPECT_EQ(of("4.19.157-perf+", SourceKind::kBpfPerfBuffer), "dac_override sys_admin");
  EXPECT_EQ(of("4.19.157-perf+", SourceKind::kTracefs), "dac_override sys_ptrace");
  EXPECT_EQ(of("4.19.157-perf+", SourceKind::kSurfaceFlinger), "dac_override");
  EXPECT_EQ(of("4.19.157-perf+", SourceKind::kZygisk), "dac_override");
  EXPECT_EQ(of("5.10.0", SourceKind::kSurfaceFlinger, {true, 3009}), "dac_override");
  EXPECT_EQ(of("5.10.0", SourceKind::kSurfaceFlinger, {true, {}}), "dac_override sys_ptrace");
  EXPECT_EQ(names_of(service_capabilities(parse_release("5.10.0"), SourceKind::kSurfaceFlinger, {},
                                          true)),
            "dac_override sys_nice");
  EXPECT_EQ(names_of(command_capabilities(parse_release("5.10.0"))),
            "dac_override sys_ptrace perfmon");
  EXPECT_EQ(names_of(0), "none");
  EXPECT_EQ(names_of(1U << CAP_CHOWN), "0");
}

TEST(HiddenProcessesTest, AreReadFromTheMount) {
  const auto of = [](const std::string& options) {
    return parse_hidden_processes(
        "20 1 0:20 / / rw - ext4 /dev/root rw\n"
        "22 20 0:21 / /proc rw,nosuid - proc proc " +
        options + "\n");
  };
  EXPECT_FALSE(of("rw").hidden);
  EXPECT_FALSE(of("rw,gid=3009,hidepid=0").hidden);
  EXPECT_EQ(of("rw,gid=3009,hidepid=2").seen_by, 3009U);
  EXPECT_EQ(of("rw,gid=3009,hidepid=invisible").seen_by, 3009U);
  EXPECT_TRUE(of("rw,hidepid=2").hidden);
  EXPECT_FALSE(of("rw,hidepid=2").seen_by);
  EXPECT_FALSE(of("rw,gid=3009,hidepid=ptraceable").seen_by);
  EXPECT_FALSE(parse_hidden_processes("").hidden);
}

class Capabilities : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root: only it has capabilities to give up";
    }
  }
  static bool kept() { return keep_only(kNeeded).has_value(); }
  static constexpr CapabilitySet kNeeded = 1U << CAP_DAC_OVERRIDE;
};

TEST_F(Capabilities, AreGivenUpInEverySetForGood) {
  const int wrong = in_child(kept, [] {
    int bits = 0;
    bits |= own_status("CapEff") == kNeeded ? 0 : 1;
    bits |= own_status("CapPrm") == kNeeded ? 0 : 2;
    bits |= own_status("CapInh") == 0 ? 0 : 4;
    bits |= own_status("CapBnd") == kNeeded ? 0 : 8;
    bits |= own_status("NoNewPrivs") == 1 ? 0 : 16;
    return bits;
  });
  EXPECT_EQ(wrong, 0);
}

TEST_F(Capabilities, WhatNeedsAnotherOneIsRefused) {
  EXPECT_EQ(in_child(kept, [] { return attempt(SYS_sethostname, "x", 1); }), EPERM);
  EXPECT_EQ(in_child(kept, [] { return attempt(SYS_socket, AF_PACKET, SOCK_RAW, 0); }), EPERM);
  EXPECT_EQ(in_child(kept, [] { return attempt(SYS_setuid, 12345); }), EPERM);
  EXPECT_EQ(in_child(kept, [] { return attempt(SYS_kill, 1, 0); }), 0);  // root's own, no more
}

/// The supervisor and the command runner keep rights that the service has not.
TEST_F(Capabilities, MemoryOfAProcessWithMoreRightsIsOutOfReach) {
  const std::string memory = "/proc/" + std::to_string(::getpid()) + "/mem";
  const auto open_with = [&](CapabilitySet set) {
    return in_child([&] { return keep_only(set).has_value(); },
                    [&] { return ::open(memory.c_str(), O_RDWR) < 0 ? errno : 0; });
  };
  const KernelRelease kernel = running_kernel();
  EXPECT_EQ(open_with(service_capabilities(kernel, SourceKind::kBpfRingBuffer, {})), EACCES);
  EXPECT_EQ(open_with(service_capabilities(kernel, SourceKind::kNone, {})), EACCES);
  // So much for why it is worth it.
  EXPECT_EQ(open_with(service_capabilities(kernel, SourceKind::kTracefs, {})), 0);
}

TEST_F(Capabilities, AGroupCanBeJoinedBeforeTheyGo) {
  EXPECT_EQ(
      in_child([] { return join(3009).has_value() && kept(); },
               [] {
                 std::array<gid_t, 64> groups{};
                 const int count = ::getgroups(64, groups.data());
                 return static_cast<int>(std::count(groups.data(), groups.data() + count, 3009));
               }),
      1);
  EXPECT_EQ(in_child(kept, [] { return join(3009) ? 0 : EPERM; }), EPERM);
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(own());
    fs::create_directories(other());
    std::ofstream(own() / "file") << "x";
    std::ofstream(other() / "node") << "x";
    std::ofstream(other() / "file") << "x";
    access_ = {{own()}, {other() / "node", "/nonexistent"}, {}, {"/nonexistent"}};
    if (in_child([] { return true; },
                 [&] { return confine_files(access_) == FileConfinement::kNotInKernel; }) == 1) {
      GTEST_SKIP() << "the kernel has no Landlock";
    }
  }
  [[nodiscard]] fs::path own() const { return folder_.path() / "own"; }
  [[nodiscard]] fs::path other() const { return folder_.path() / "other"; }
  [[nodiscard]] int confined(const std::function<int()>& attempt) const {
    const auto confine = [&] {
      return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
             confine_files(access_) == FileConfinement::kConfined;
    };
    return in_child(confine, attempt);
  }
  [[nodiscard]] int open_of(const fs::path& path, int flags) const {
    return confined([&] { return ::open(path.c_str(), flags, 0600) < 0 ? errno : 0; });
  }

  test::TemporaryFolder folder_;
  FileAccess access_;
};

TEST_F(Files, OwnOnesAreWrittenMadeAndReplaced) {
  EXPECT_EQ(open_of(own() / "file", O_WRONLY), 0);
  EXPECT_EQ(open_of(own() / "new", O_WRONLY | O_CREAT), 0);
  EXPECT_EQ(confined([&] {
              return ::rename((own() / "new").c_str(), (own() / "file").c_str()) < 0 ? errno : 0;
            }),
            0);
  EXPECT_EQ(open_of(other() / "node", O_WRONLY), 0);
}

TEST_F(Files, AFolderThatMayBeEmptiedIsNotWrittenIn) {
  fs::create_directories(other() / "buffer");
  access_.emptied = {other()};
  EXPECT_EQ(open_of(other() / "file", O_WRONLY), EACCES);
  EXPECT_EQ(open_of(other() / "new", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(confined([&] { return ::mkdir((other() / "new").c_str(), S_IRWXU) < 0 ? errno : 0; }),
            EACCES);
  EXPECT_EQ(confined([&] { return ::rmdir((other() / "buffer").c_str()) < 0 ? errno : 0; }), 0);
}

TEST_F(Files, NoOtherProgramIsExecuted) {
  EXPECT_EQ(confined([] {
              ::execl("/proc/self/exe", "x", nullptr);
              return errno;
            }),
            EACCES);
}

TEST(NeededFiles, AreTheServicesOwnAndTheNodesAndNoProgram) {
  Settings settings;
  settings.service.log_file = "/data/local/log/framegov";
  const FileAccess access = needed_files(settings);
  EXPECT_THAT(access.folders, ::testing::UnorderedElementsAre(settings.service.state_dir,
                                                              fs::path("/data/local/log")));
  EXPECT_THAT(access.writable, ::testing::ElementsAre("/sys/devices/system/cpu/cpufreq"));
  EXPECT_THAT(access.emptied, ::testing::IsEmpty());
  EXPECT_THAT(access.programs, ::testing::IsEmpty());
}

TEST(NeededFiles, OfTracefsAreTheTraceBufferThatWasOpenedAndNoOther) {
  const Settings settings;
  const fs::path instances = "/sys/kernel/tracing/instances";
  const FileAccess access = needed_files(settings, instances / "framegov_7_gpu");
  EXPECT_THAT(access.folders, ::testing::ElementsAre(settings.service.state_dir));
  EXPECT_THAT(access.writable, ::testing::UnorderedElementsAre("/sys/devices/system/cpu/cpufreq",
                                                               instances / "framegov_7_gpu"));
  EXPECT_THAT(access.emptied, ::testing::ElementsAre(instances));
}

TEST(CommandFiles, AreTheCommandsAndWhatTheyWriteTo) {
  const Settings settings;
  const FileAccess access = command_files(settings);
  EXPECT_THAT(access.folders, ::testing::IsEmpty());
  EXPECT_THAT(access.writable, ::testing::Not(::testing::Contains("/dev")));
  EXPECT_THAT(access.programs, ::testing::IsSupersetOf(
                                   {settings.service.dumpsys, settings.service.settings_command}));
}

}  // namespace
}  // namespace framegov

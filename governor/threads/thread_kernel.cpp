// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_kernel.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

int error_of(long returned) { return returned < 0 ? errno : 0; }

/// struct sched_attr of linux/sched/types.h, which the C library's headers do not go with: as long
/// as the first kernels with clamps take it (SCHED_ATTR_SIZE_VER1).
struct SchedulingAttributes {
  std::uint32_t size = 56;
  std::uint32_t policy{};
  std::uint64_t flags{};
  std::int32_t nice{};
  std::uint32_t priority{};
  std::uint64_t runtime{};
  std::uint64_t deadline{};
  std::uint64_t period{};
  std::uint32_t util_min{};
  std::uint32_t util_max{};
};
static_assert(sizeof(SchedulingAttributes) == 56);
constexpr std::uint64_t kOnlyClamps = SCHED_FLAG_KEEP_ALL | SCHED_FLAG_UTIL_CLAMP;

/// Field 22 of a stat line: after the name, which may hold anything, it is the 20th.
std::uint64_t birth_in(std::string_view stat) {
  constexpr int kFieldsBetween = 20;
  const std::size_t name_ends = stat.rfind(')');
  if (name_ends == std::string_view::npos) {
    return 0;
  }
  stat.remove_prefix(name_ends + 1);
  for (int i = 0; i < kFieldsBetween; ++i) {
    const std::size_t space = stat.find(' ');
    if (space == std::string_view::npos) {
      return 0;
    }
    stat.remove_prefix(space + 1);
  }
  std::uint64_t ticks = 0;
  std::from_chars(stat.data(), stat.data() + stat.size(), ticks);
  return ticks;
}

/// A cpuset's CPUs by its name below a mounted hierarchy: version 1 as Android mounts it, with the
/// prefix, and version 2.
constexpr std::array<std::pair<const char*, const char*>, 3> kCpusets{
    {{"/dev/cpuset", "cpus"},
     {"/sys/fs/cgroup/cpuset", "cpuset.effective_cpus"},
     {"/sys/fs/cgroup", "cpuset.cpus.effective"}}};

class LinuxThreads final : public ThreadKernel {
 public:
  LinuxThreads(fs::path proc_root, fs::path cpu_root)
      : proc_root_(std::move(proc_root)), cpu_root_(std::move(cpu_root)) {}

  std::uint64_t born(std::int32_t pid, std::int32_t tid) override {
    std::array<char, 512> stat{};  // the name is 15 bytes, 21 numbers follow it
    const UniqueFd file = open_of(pid, tid, "stat");
    const ssize_t size = file ? ::pread(file.get(), stat.data(), stat.size(), 0) : 0;
    return size > 0 ? birth_in({stat.data(), static_cast<std::size_t>(size)}) : 0;
  }

  bool lives(const ThreadId& thread) override {
    auto* found = std::find_if(seen_.begin(), seen_.end(),
                               [&](const Seen& each) { return each.thread == thread; });
    if (found == seen_.end()) {
      found = &seen_.at(next_seen_++ % seen_.size());
      // Opened before it is asked which one it is, so that it cannot be the next one's.
      found->name = open_of(thread.pid, thread.tid, "comm");
      found->thread = thread;
      if (thread.born == 0 || born(thread.pid, thread.tid) != thread.born) {
        found->name.reset();
      }
    }
    // A file of a thread that is gone stays so (ESRCH), whoever has its number then.
    char letter{};
    return found->name && ::pread(found->name.get(), &letter, 1, 0) == 1;
  }

  std::uint64_t ticks_now() override {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    const auto hz = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
    constexpr std::uint64_t kSecond = 1'000'000'000;
    return static_cast<std::uint64_t>(now.tv_sec) * hz +
           static_cast<std::uint64_t>(now.tv_nsec) * hz / kSecond;
  }

  std::vector<std::int32_t> threads_of(std::int32_t pid) override {
    std::vector<std::int32_t> threads;
    std::error_code error;
    for (const fs::path& each : entries_of(proc_root_ / std::to_string(pid) / "task", error)) {
      const std::string name = each.filename();
      std::int32_t tid = 0;
      if (std::from_chars(name.data(), name.data() + name.size(), tid).ec == std::errc{}) {
        threads.push_back(tid);
      }
    }
    return threads;
  }

  int read_cpus(std::int32_t tid, std::uint64_t& cpus) override {
    cpus = 0;
    return error_of(::syscall(SYS_sched_getaffinity, tid, sizeof cpus, &cpus));
  }
  int write_cpus(std::int32_t tid, std::uint64_t cpus) override {
    return error_of(::syscall(SYS_sched_setaffinity, tid, sizeof cpus, &cpus));
  }

  std::uint64_t open_cpus(std::int32_t pid, std::int32_t tid) override {
    const std::uint64_t online =
        parse_cpu_list(first_line(cpu_root_ / "online")).value_or(kEveryCpu);
    const fs::path task = proc_root_ / std::to_string(pid) / "task" / std::to_string(tid);
    // Not from /proc/PID/cpuset, which kernels may lack: "4:cpuset:/top-app", "0::/apps".
    const std::string groups = read_node(task / "cgroup");
    for (std::string_view rest = groups; !rest.empty();) {
      const std::string_view line = take_line(rest);
      const std::size_t kind = line.find(':');
      const std::size_t path = kind == line.npos ? kind : line.find(':', kind + 1);
      if (path == line.npos) {
        continue;
      }
      const std::string_view kinds = line.substr(kind + 1, path - kind - 1);
      const bool version_2 = kinds.empty();
      if (!version_2 && kinds.find("cpuset") == kinds.npos) {
        continue;
      }
      const std::string folder(line.substr(path + 1));
      for (const auto& [root, file] : kCpusets) {
        const auto cpus = parse_cpu_list(first_line(fs::path(root + folder) / file));
        if (cpus && (*cpus & online) != 0) {
          return *cpus & online;
        }
      }
    }
    return online;
  }

  int read_clamp(std::int32_t tid, UtilClamp& clamp) override {
    SchedulingAttributes attributes;
    const int error =
        error_of(::syscall(SYS_sched_getattr, tid, &attributes, sizeof attributes, 0));
    clamp = {static_cast<std::int16_t>(attributes.util_min),
             static_cast<std::int16_t>(attributes.util_max)};
    return error;
  }

  int write_clamp(std::int32_t tid, const UtilClamp& clamp) override {
    constexpr auto kReset = static_cast<std::uint32_t>(-1);
    if (clamp == UtilClamp{} && write_clamps(tid, kReset, kReset) == 0) {
      return 0;
    }
    return write_clamps(tid, static_cast<std::uint32_t>(clamp.min),
                        static_cast<std::uint32_t>(clamp.max));
  }

 private:
  struct Seen {
    ThreadId thread;
    UniqueFd name;
  };

  static int write_clamps(std::int32_t tid, std::uint32_t min, std::uint32_t max) {
    SchedulingAttributes attributes;
    attributes.flags = kOnlyClamps;
    attributes.util_min = min;
    attributes.util_max = max;
    return error_of(::syscall(SYS_sched_setattr, tid, &attributes, 0));
  }

  /// Without allocation: `proc_root_` is short.
  [[nodiscard]] UniqueFd open_of(std::int32_t pid, std::int32_t tid, const char* file) const {
    std::array<char, 256> path{};
    std::snprintf(path.data(), path.size(), "%s/%d/task/%d/%s", proc_root_.c_str(), pid, tid, file);
    return open_file_at(AT_FDCWD, path.data(), O_RDONLY);
  }

  fs::path proc_root_;
  fs::path cpu_root_;
  std::array<Seen, 8> seen_{};
  std::size_t next_seen_ = 0;
};

}  // namespace

std::unique_ptr<ThreadKernel> make_thread_kernel(fs::path proc_root, fs::path cpu_root) {
  return std::make_unique<LinuxThreads>(std::move(proc_root), std::move(cpu_root));
}

}  // namespace framegov

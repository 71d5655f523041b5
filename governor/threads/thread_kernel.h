// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace framegov {

/// A thread and which one: numbers are used again, times of birth are not.
struct ThreadId {
  std::int32_t pid{};
  std::int32_t tid{};
  std::uint64_t born{};  ///< clock ticks since the boot (field 22 of its stat); zero: no thread
  constexpr bool operator==(const ThreadId&) const = default;
};

/// The kernel's whole scale of utilisation: the fastest core at its top OPP.
inline constexpr std::int16_t kFullUtil = 1024;

/// uclamp.min and uclamp.max of a thread, as asked for.
struct UtilClamp {
  std::int16_t min = 0;
  std::int16_t max = kFullUtil;
  constexpr bool operator==(const UtilClamp&) const = default;
};

/// A mask of CPUs that leaves a thread where its cpuset leaves it: now, and when that changes.
inline constexpr std::uint64_t kEveryCpu = ~std::uint64_t{0};

/// What the kernel says of threads and does to them. Functions that return an int return 0 or an
/// errno. Those of the loop (all but threads_of and open_cpus) do not allocate, and a signal
/// handler may call them.
class ThreadKernel {
 public:
  ThreadKernel() = default;
  ThreadKernel(const ThreadKernel&) = delete;
  ThreadKernel& operator=(const ThreadKernel&) = delete;
  virtual ~ThreadKernel() = default;

  /// When the thread began; zero where the process has no such thread.
  [[nodiscard]] virtual std::uint64_t born(std::int32_t pid, std::int32_t tid) = 0;
  /// Is it still that one? Cheap when asked again and again of few threads.
  [[nodiscard]] virtual bool lives(const ThreadId& thread) = 0;
  /// On the clock of ThreadId::born.
  [[nodiscard]] virtual std::uint64_t ticks_now() = 0;
  /// All that the process has; empty when it is gone.
  [[nodiscard]] virtual std::vector<std::int32_t> threads_of(std::int32_t pid) = 0;

  /// CPUs, of those online, that a thread may run on (sched_getaffinity).
  [[nodiscard]] virtual int read_cpus(std::int32_t tid, std::uint64_t& cpus) = 0;
  [[nodiscard]] virtual int write_cpus(std::int32_t tid, std::uint64_t cpus) = 0;
  /// CPUs, of those online, that its cpuset leaves to a thread that asks for all.
  [[nodiscard]] virtual std::uint64_t open_cpus(std::int32_t pid, std::int32_t tid) = 0;

  /// sched_getattr. {0, 0} where the kernel has no clamps.
  [[nodiscard]] virtual int read_clamp(std::int32_t tid, UtilClamp& clamp) = 0;
  /// sched_setattr, with policy, priority and nice value as they are. UtilClamp{} also takes back,
  /// where the kernel can (5.11), that anything was ever asked for.
  [[nodiscard]] virtual int write_clamp(std::int32_t tid, const UtilClamp& clamp) = 0;
};

/// This machine's. `proc_root` is /proc; `cpu_root` has the list of CPUs that are online; cpusets
/// are looked for where Android and version 2 of the control groups have them.
[[nodiscard]] std::unique_ptr<ThreadKernel> make_thread_kernel(std::filesystem::path proc_root,
                                                               std::filesystem::path cpu_root);

}  // namespace framegov

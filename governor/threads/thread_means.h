// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/cpu_topology.h"
#include "base/thread_plan.h"
#include "base/units.h"
#include "governor/threads/thread_kernel.h"
#include "probes/context/kernel_features.h"

namespace framegov {

/// What a trial has shown of threads on this kernel.
struct ThreadMeans {
  ThreadLevers levers;
  std::string words;  ///< which and why, for log, doctor and status
};

/// A thread of our own that things are tried on.
class TrialThread {
 public:
  TrialThread() = default;
  TrialThread(const TrialThread&) = delete;
  TrialThread& operator=(const TrialThread&) = delete;
  virtual ~TrialThread() = default;

  [[nodiscard]] virtual std::int32_t tid() const = 0;
  /// Waits until it runs on one of `cpus`; the CPU where it was last, or nothing where it has not
  /// run since the call.
  [[nodiscard]] virtual std::optional<int> seen_on(std::uint64_t cpus) = 0;
  /// Busy on `cpu` until its frequency is `wanted`, or for some hundredths of a second; the
  /// frequency then, or nothing where it cannot be read.
  [[nodiscard]] virtual std::optional<Frequency> busy_until(int cpu, Frequency wanted) = 0;
  /// The highest frequency that others leave to the CPU.
  [[nodiscard]] virtual std::optional<Frequency> limit_of(int cpu) = 0;
};

/// ThreadLevers::headroom of a kernel.
[[nodiscard]] double clamp_headroom(const KernelRelease& kernel);

/// This process's; it ends with the object. Frequencies are read below `cpu_root`.
[[nodiscard]] std::unique_ptr<TrialThread> start_trial_thread(std::filesystem::path cpu_root);

/// Finds out what works: writes, reads back, watches that it has an effect, and puts back. What
/// cannot be watched (a frequency that is at its top anyway) counts as working, and the words say
/// so. Takes up to a quarter of a second, most of it at work: frequencies follow load slowly.
[[nodiscard]] ThreadMeans find_thread_means(ThreadKernel& kernel, TrialThread& thread,
                                            const CpuTopology& topology);

}  // namespace framegov

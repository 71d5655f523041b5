// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/cpufreq_tree.h"

namespace framegov::test {

/// One write of this program to a limit node.
struct LimitWrite {
  int policy{};
  std::string node;
  std::int64_t khz{};
  bool operator==(const LimitWrite&) const = default;
};

/// Makes a temporary tree behave as the kernel's, in programs that link framegov_cpufreq_kernel
/// (which stands in front of pwrite and pread): requests of user space are combined with ceilings
/// that others hold, brought to an OPP, and read back as what is in force; nodes that are gone are
/// ENODEV. inotify sees what programs write and not what the kernel changes. One at a time.
class CpufreqKernel {
 public:
  CpufreqKernel(const TemporaryCpufreqTree& tree, const std::vector<PolicyShape>& policies);
  CpufreqKernel(const CpufreqKernel&) = delete;
  CpufreqKernel& operator=(const CpufreqKernel&) = delete;
  ~CpufreqKernel();

  /// Kernels before 5.3 refuse a minimum above the maximum.
  void refuse_min_above_max() { strict_ = true; }

  /// Writes are accepted at once but in force only with the next take_over(), as in the kernel,
  /// where a work item does it.
  void apply_late(bool late = true) { late_ = late; }
  void take_over();

  /// Thermal, say, holds the maximum at `khz`; 0 lets go.
  void hold_max(int policy, std::int64_t khz);

  /// Writes to the policy, or to one node of it, fail with `error` from now on; 0: no longer.
  void fail_writes(int policy, int error, const std::string& node = {});

  /// A driver brings a policy to other limits than were asked for, as Exynos 2100's does on a
  /// suspend. They last until a request changes: one like the last is none to the kernel.
  void overwrite(int policy, std::int64_t min, std::int64_t max);

  /// Another program writes a request.
  void write_as_other(int policy, const std::string& node, std::int64_t khz);

  /// Another program writes `khz` after every write of ours to the policy's maximum; 0: no longer.
  void answer_writes(int policy, std::int64_t khz) { state(policy).answer = khz; }

  [[nodiscard]] const std::vector<LimitWrite>& writes() const { return writes_; }
  void forget_writes() { writes_.clear(); }

  /// Called by pwrite: 0 or an errno.
  [[nodiscard]] int write(const std::string& path, std::int64_t khz);
  /// Called by pread: what comes between a write and the next read.
  void let_others_answer();
  [[nodiscard]] bool owns(const std::string& path) const;

 private:
  struct State {
    PolicyShape shape;
    std::int64_t user_min{};
    std::int64_t user_max{};
    std::int64_t ceiling{};
    int error{};
    std::int64_t answer{};
    std::string failing_node;   ///< empty: both
    std::int64_t forced_min{};  ///< by overwrite(); 0: not
    std::int64_t forced_max{};
  };
  [[nodiscard]] State& state(int policy);
  static void request(State& state, const std::string& node, std::int64_t khz);
  void publish(const State& state) const;
  void publish_unless_late(const State& state) const;
  void show(int policy, const std::string& node, std::int64_t khz) const;
  void seen_by_inotify(int policy, const std::string& node) const;

  const TemporaryCpufreqTree& tree_;
  std::vector<State> states_;
  std::vector<LimitWrite> writes_;
  bool strict_ = false;
  bool late_ = false;
  int answering_ = -1;
};

}  // namespace framegov::test

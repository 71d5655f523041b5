// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace demo {

/// How fast each CPU works right now, from cpufreq: a core of capacity c (of 1024) at its top
/// frequency does c/1024 of what the fastest core does at its own. Safe from several threads.
class CpuSpeeds {
 public:
  /// Throws std::runtime_error naming what is missing under `cpu_root`.
  explicit CpuSpeeds(const std::string& cpu_root);
  /// Every CPU at `fixed_khz`.
  explicit CpuSpeeds(std::int64_t fixed_khz);

  /// Reference cycles per second of the fastest core at its top frequency.
  [[nodiscard]] double reference() const { return reference_; }
  /// Reference cycles per second of `cpu` at its current frequency.
  [[nodiscard]] double current(int cpu) const;

 private:
  struct Cpu {
    int policy = -1;  ///< index into policies_
    double capacity_per_khz = 0;
  };
  void read_policy(const std::string& cpu_root, const std::string& policy);

  double reference_ = 0;
  double top_capacity_ = 0;
  std::vector<framegov::UniqueFd> policies_;  ///< open scaling_cur_freq
  std::vector<Cpu> cpus_;
};

/// Spins until `work` reference cycles are done: CPU time of this thread at the speed of the CPU
/// that it is on, so a slower frequency takes longer and the kernel's governor sees the load.
void burn(const CpuSpeeds& speeds, double work);

}  // namespace demo

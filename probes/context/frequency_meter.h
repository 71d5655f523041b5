// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/cpu_topology.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "base/units.h"

namespace framegov {

/// A moment on one cluster, for the mean frequency since.
struct FrequencyMark {
  Instant at;
  std::uint64_t khz_ns{};  ///< frequency x time, modulo 2^64; with the tracepoint
  Frequency current;       ///< at that moment
};

/// The frequency that clusters really had: from the cpu_frequency tracepoint where BPF is allowed,
/// which misses no change; else from scaling_cur_freq at both ends. One thread.
class FrequencyMeter {
 public:
  FrequencyMeter(const CpuTopology& topology, const std::filesystem::path& cpu_root);
  ~FrequencyMeter();

  /// One system call at most. `current` is zero when nothing tells.
  [[nodiscard]] FrequencyMark mark(std::size_t cluster, Instant now) const;

  /// Between two marks of one cluster; zero when not known.
  [[nodiscard]] Frequency mean(const FrequencyMark& from, const FrequencyMark& to) const;

  /// True when every change is seen.
  [[nodiscard]] bool exact() const { return tracepoint_ != nullptr; }

  /// For tests: the tracepoint's program, or -1.
  [[nodiscard]] int program_fd() const;

 private:
  struct Tracepoint;
  struct ClusterNode {
    std::uint32_t first_cpu{};
    UniqueFd current;  ///< scaling_cur_freq
  };

  [[nodiscard]] Frequency read_current(const ClusterNode& cluster) const;

  std::array<ClusterNode, kMaxClusters> clusters_;
  std::size_t cluster_count_ = 0;
  std::unique_ptr<Tracepoint> tracepoint_;
};

}  // namespace framegov

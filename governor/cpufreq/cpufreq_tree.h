// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "base/units.h"

namespace framegov {

/// No CPU is faster: what a node or a file says above this is damage.
inline constexpr Frequency kHighestFrequency = khz(100'000'000);

/// Where one cpufreq policy is found below the root.
struct ClusterDir {
  int id{};              ///< N of policyN; the lowest CPU where there are only cpuN folders
  std::uint64_t cpus{};  ///< bit n: CPU n, offline ones included
  std::string path;      ///< relative: "cpufreq/policy4" or "cpu4/cpufreq"

  [[nodiscard]] int first_cpu() const;
  [[nodiscard]] std::string name() const { return "policy" + std::to_string(id); }
};

/// The folder of CPUs (/sys/devices/system/cpu or a copy of one) and the clusters in it.
///
/// Clusters are looked for once: cpufreq/policyN, or, on trees that only have cpuN/cpufreq, rebuilt
/// from related_cpus. The root is held by descriptor; everything is opened relative to it.
class CpufreqTree {
 public:
  /// A cluster that cannot be read is left out: kernels from 5.19 on answer EBUSY to every read
  /// while its CPUs are offline. Errors: the root cannot be opened, no cluster in it that can be
  /// read, more clusters or CPUs than kMaxClusters and kMaxCpus, a cluster that does not say its
  /// CPUs.
  [[nodiscard]] static Result<CpufreqTree> open(const std::filesystem::path& root);

  /// Ascending by id.
  [[nodiscard]] const std::vector<ClusterDir>& clusters() const { return clusters_; }
  /// Those that open() could not read: their CPUs are not known.
  [[nodiscard]] const std::vector<ClusterDir>& left_out() const { return left_out_; }

  /// The content of a node (its first 4 KiB). Nothing, and no allocation, when it cannot be read.
  [[nodiscard]] std::optional<std::string> read(const std::string& relative) const;

  /// True when there are more clusters than open() found, or one that it left out can be read: CPUs
  /// that were offline have come. Costs one system call while no folder has come or gone, and an
  /// attempt to read each of two nodes of a cluster that was left out; allocates nothing meanwhile.
  [[nodiscard]] bool has_grown() const;

  [[nodiscard]] int fd() const { return root_fd_.get(); }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  [[nodiscard]] Status find_clusters();
  [[nodiscard]] std::uint64_t count_folders() const;
  [[nodiscard]] Status add_cluster(ClusterDir dir);
  [[nodiscard]] std::optional<std::uint64_t> read_cpus(const std::string& path) const;

  std::filesystem::path root_;
  UniqueFd root_fd_;
  UniqueFd cpufreq_fd_;        ///< root/cpufreq; empty where there is none
  std::uint64_t folders_ = 0;  ///< in it, at open()
  std::vector<ClusterDir> clusters_;
  std::vector<ClusterDir> left_out_;
  std::vector<std::string> awaited_;  ///< nodes of left_out_ that can be read when CPUs have come
};

/// The frequencies (kHz) in a list separated by white space, others skipped.
[[nodiscard]] std::vector<std::int64_t> parse_numbers(std::string_view text);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace framegov::test {

/// A folder of its own below `parent` (the system's temporary folder by default), removed at the
/// end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::filesystem::path& parent = {});
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The text of a file in it (or of any, by its absolute path); empty when there is none.
  [[nodiscard]] std::string read(const std::filesystem::path& name) const;

 private:
  std::filesystem::path path_;
};

/// One cpufreq policy of a made-up phone.
struct PolicyShape {
  int id{};
  std::vector<int> cpus;
  std::vector<std::int64_t> khz;  ///< its OPPs, ascending
  int capacity{};                 ///< of 1024; 0: no cpu_capacity node
};

/// Little (cpu0-3), mid (cpu4-5) and big (cpu6-7), six OPPs each.
[[nodiscard]] std::vector<PolicyShape> phone_policies();

/// A tree like /sys/devices/system/cpu, of plain files: cpufreq/policyN/*, cpuN/cpu_capacity and
/// cpuN/cpufreq as a link to its policy. Limits stand at the hardware's.
class TemporaryCpufreqTree {
 public:
  explicit TemporaryCpufreqTree(const std::vector<PolicyShape>& policies = phone_policies(),
                                const std::filesystem::path& parent = {});

  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }
  [[nodiscard]] std::filesystem::path policy(int id) const;

  /// Replaces the content of `node` of policy `id`.
  void set(int id, const std::string& node, const std::string& content) const;
  void remove(int id, const std::string& node) const;
  /// The number in `node` of policy `id`; -1 when there is none.
  [[nodiscard]] std::int64_t get(int id, const std::string& node) const;
  [[nodiscard]] std::int64_t max(int id) const { return get(id, "scaling_max_freq"); }
  [[nodiscard]] std::int64_t min(int id) const { return get(id, "scaling_min_freq"); }

  /// Makes the nodes of a policy, as when its first CPU comes online.
  void add_policy(const PolicyShape& shape) const;
  /// Its nodes cannot be read until it is online again, as on kernels from 5.19 on.
  void set_offline(int id) const;
  void set_online(int id) const;
  /// Takes the whole policy away.
  void remove_policy(int id) const;

 private:
  TemporaryFolder folder_;
};

}  // namespace framegov::test

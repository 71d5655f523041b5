// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/cpufreq_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <utility>

#include "base/cpu_list.h"
#include "base/cpu_topology.h"
#include "base/file.h"

namespace framegov {

namespace {

constexpr std::string_view kSpace = " \t\n";
/// In a policy's folder: its CPUs, and those of them that are online.
constexpr std::array kCpuLists = {"/related_cpus", "/affected_cpus"};

/// N of "prefixN"; nothing when `name` is not that.
std::optional<int> number_after(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) {
    return std::nullopt;
  }
  int number = 0;
  const auto [end, error] =
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), number);
  if (error != std::errc{} || end != name.data() + name.size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

/// Numbers N of the folders "prefixN" in `folder`, ascending.
std::vector<int> numbered_folders(const std::filesystem::path& folder, std::string_view prefix) {
  std::vector<int> numbers;
  std::error_code error;
  for (const std::filesystem::path& entry : entries_of(folder, error)) {
    if (const auto number = number_after(prefix, entry.filename().string())) {
      numbers.push_back(*number);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

int ClusterDir::first_cpu() const { return std::countr_zero(cpus); }

std::vector<std::int64_t> parse_numbers(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    if (text.empty()) {
      return numbers;
    }
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    text.remove_prefix(word.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc{} && end == word.data() + word.size()) {
      numbers.push_back(number);
    }
  }
}

Result<CpufreqTree> CpufreqTree::open(const std::filesystem::path& root) {
  CpufreqTree tree;
  tree.root_ = root;
  tree.root_fd_.reset(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!tree.root_fd_) {
    return fail_errno(errno, "CPU folder " + root.string(),
                      "service.cpu_root in the configuration names it");
  }
  tree.cpufreq_fd_.reset(
      ::openat(tree.root_fd_.get(), "cpufreq", O_PATH | O_DIRECTORY | O_CLOEXEC));
  tree.folders_ = tree.count_folders();
  if (Status found = tree.find_clusters(); !found) {
    return tl::unexpected(found.error());
  }
  return tree;
}

std::uint64_t CpufreqTree::count_folders() const {
  // sysfs counts the folders in a folder as its links.
  struct stat status {};
  return cpufreq_fd_ && ::fstat(cpufreq_fd_.get(), &status) == 0 ? status.st_nlink : 0;
}

bool CpufreqTree::has_grown() const {
  const bool more =
      count_folders() != folders_ &&
      numbered_folders(root_ / "cpufreq", "policy").size() > clusters_.size() + left_out_.size();
  return more || std::any_of(awaited_.begin(), awaited_.end(),
                             [this](const std::string& node) { return read(node).has_value(); });
}

/// Of the cluster in folder `path`: 0 where it names none, nothing where it cannot be read.
std::optional<std::uint64_t> CpufreqTree::read_cpus(const std::string& path) const {
  std::optional<std::uint64_t> cpus;
  for (const char* node : kCpuLists) {
    if (const auto text = read(path + node)) {
      cpus = parse_cpu_list(*text).value_or(0);
      if (*cpus != 0) {
        break;
      }
    }
  }
  return cpus;
}

Status CpufreqTree::find_clusters() {
  for (const int id : numbered_folders(root_ / "cpufreq", "policy")) {
    const std::string path = "cpufreq/policy" + std::to_string(id);
    const auto cpus = read_cpus(path);
    if (!cpus) {
      left_out_.push_back({id, 0, path});
      for (const char* node : kCpuLists) {
        awaited_.push_back(path + node);
      }
    } else if (Status added = add_cluster({id, *cpus, path}); !added) {
      return added;
    }
  }
  if (clusters_.empty() && left_out_.empty()) {
    // Kernels before 3.19 and copies of some trees: only cpuN/cpufreq.
    for (const int cpu : numbered_folders(root_, "cpu")) {
      const std::string path = "cpu" + std::to_string(cpu) + "/cpufreq";
      std::error_code unreadable;
      if (!std::filesystem::exists(root_ / path, unreadable)) {
        continue;
      }
      const bool known = std::any_of(clusters_.begin(), clusters_.end(), [&](const ClusterDir& p) {
        return cpu < static_cast<int>(kMaxCpus) &&
               ((p.cpus >> static_cast<unsigned>(cpu)) & 1U) != 0;
      });
      if (known) {
        continue;
      }
      if (Status added = add_cluster({cpu, read_cpus(path).value_or(0), path}); !added) {
        return added;
      }
    }
  }
  if (clusters_.empty()) {
    return fail(
        ExitCode::kUnsupported,
        root_.string() + ": no cpufreq policy" + (left_out_.empty() ? "" : " that can be read"),
        "this kernel does not scale CPU frequencies; there is nothing to govern");
  }
  return {};
}

Status CpufreqTree::add_cluster(ClusterDir dir) {
  const std::string where = (root_ / dir.path).string();
  if (clusters_.size() == kMaxClusters) {
    return fail(ExitCode::kUnsupported,
                where + ": more than " + std::to_string(kMaxClusters) + " cpufreq policies");
  }
  if (dir.cpus == 0) {
    return fail(ExitCode::kUnsupported,
                where + ": related_cpus and affected_cpus name no CPU of 0 to 63",
                "please report this phone's " + (root_ / dir.path / "related_cpus").string());
  }
  if (std::any_of(clusters_.begin(), clusters_.end(),
                  [&](const ClusterDir& other) { return (other.cpus & dir.cpus) != 0; })) {
    return fail(ExitCode::kUnsupported, where + ": names CPUs of another policy");
  }
  clusters_.push_back(std::move(dir));
  return {};
}

std::optional<std::string> CpufreqTree::read(const std::string& relative) const {
  const UniqueFd file = open_file_at(root_fd_.get(), relative.c_str(), O_RDONLY);
  if (!file) {
    return std::nullopt;
  }
  // sysfs nodes are at most a page; a file that is longer is not one.
  std::array<char, 4096> text{};
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0) {
      return std::nullopt;
    }
    if (got == 0) {
      break;
    }
    size += static_cast<std::size_t>(got);
  }
  return std::string(text.data(), size);
}

}  // namespace framegov

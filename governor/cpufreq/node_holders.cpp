// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/node_holders.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/file.h"
#include "probes/context/child_command.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

constexpr int kMostNamed = 4;
constexpr const char* kQuestion = "who holds";
constexpr Duration kPatience = std::chrono::seconds{2};

bool is_number(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

/// The descriptor's flags, in octal, say how it was opened.
bool is_for_writing(const fs::path& process, const std::string& descriptor) {
  std::istringstream file(read_node(process / "fdinfo" / descriptor));
  for (std::string word; file >> word;) {
    unsigned flags = 0;
    if (word == "flags:" && file >> std::oct >> flags) {
      return (flags & 3U) != 0;
    }
  }
  return false;
}

bool holds(const fs::path& process, const std::string& folder) {
  std::error_code error;
  for (const fs::path& descriptor : entries_of(process / "fd", error)) {
    std::error_code unreadable;
    const fs::path target = fs::read_symlink(descriptor, unreadable);
    if (!unreadable && target.string().starts_with(folder) &&
        is_for_writing(process, descriptor.filename().string())) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string holders_of(const fs::path& proc_root, const fs::path& folder, pid_t left_out) {
  std::error_code error;
  const std::string below = fs::weakly_canonical(folder, error).string() + "/";
  std::string names;
  int named = 0;
  for (const fs::path& process : entries_of(proc_root, error)) {
    const std::string id = process.filename().string();
    if (!is_number(id) || id == std::to_string(left_out) || !holds(process, below)) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + first_line(process / "comm") + " (process " + id + ")";
    if (++named == kMostNamed) {
      break;
    }
  }
  return names;
}

std::string holders_of_cluster(const fs::path& proc_root, const fs::path& cpu_root,
                               const std::string& cluster) {
  return has_command_runner() ? run_command({kQuestion, cluster}, kPatience).value_or(std::string())
                              : holders_of(proc_root, cpu_root / "cpufreq" / cluster, ::getpid());
}

Errand holders_errand(const fs::path& proc_root, const fs::path& cpu_root) {
  Errand errand;
  errand.words = {kQuestion};
  errand.more = 1;
  errand.answer = [=, asker = ::getpid()](const std::vector<std::string>& rest) {
    const fs::path cluster = rest.empty() ? fs::path() : fs::path(rest.front());
    // A name, and no way out of the folder.
    return cluster.empty() || cluster != cluster.filename()
               ? std::string()
               : holders_of(proc_root, cpu_root / "cpufreq" / cluster, asker);
  };
  return errand;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "governor/control/process_facts.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

using Json = nlohmann::json;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Lines "Key:\tvalue" of /proc/self/status by our names.
constexpr std::array<std::pair<std::string_view, const char*>, 5> kNumbers{
    {{"VmRSS:", "rss_kib"},
     {"VmHWM:", "peak_rss_kib"},
     {"Threads:", "threads"},
     {"NoNewPrivs:", "no_new_privs"},
     {"Seccomp:", "seccomp"}}};

/// Landlock shows itself in no file, so a write is tried that every process may do: to its own
/// name.
bool files_are_confined() {
  const UniqueFd file = open_file("/proc/self/comm", O_WRONLY);
  return !file && errno == EACCES;
}

}  // namespace

Json process_facts() {
  Json facts = {{"pid", ::getpid()}, {"uid", ::geteuid()}};
  facts["files_confined"] = files_are_confined();
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) == 0) {
    facts["cpu_s"] = seconds(used.ru_utime) + seconds(used.ru_stime);
  }
  std::istringstream status(read_node("/proc/self/status"));
  std::string value;
  for (std::string key; status >> key && std::getline(status, value);) {
    const std::size_t begin = value.find_first_not_of(" \t");
    if (begin == std::string::npos) {
      continue;
    }
    for (const auto& [theirs, ours] : kNumbers) {
      if (key == theirs) {
        facts[ours] = std::strtoll(value.c_str() + begin, nullptr, 10);
      }
    }
    if (key == "CapEff:") {
      facts["capabilities"] = value.substr(begin);
    }
  }
  return facts;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/process_info.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/file.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

/// Long enough for every file read here; a command line is cut.
constexpr std::size_t kMostBytes = 4096;

std::string read_file(const fs::path& path) {
  const UniqueFd file = open_file(path, O_RDONLY);
  std::array<char, kMostBytes> bytes{};
  const ssize_t size = file ? ::read(file.get(), bytes.data(), bytes.size()) : 0;
  return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

template <class Number>
std::optional<Number> leading_number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

std::optional<std::int32_t> process_number(std::string_view text) {
  const auto number = leading_number<std::int32_t>(text);
  return number && *number > 0 ? number : std::nullopt;
}

/// The names of a process between its fork from the zygote and the app's own.
bool is_zygote_name(std::string_view name) {
  return name == "zygote" || name == "zygote64" || name == "usap32" || name == "usap64" ||
         name == "<pre-initialized>" || name.starts_with("app_process");
}

std::string first_argument(std::string_view command_line) {
  return std::string(command_line.substr(0, command_line.find('\0')));
}

}  // namespace

std::string ProcessInfo::read(std::int32_t pid, const char* file) const {
  return read_file(root_ / std::to_string(pid) / file);
}

std::string ProcessInfo::package(std::int32_t pid) const {
  const std::string name = first_argument(read(pid, "cmdline"));
  return is_zygote_name(name) ? std::string() : name.substr(0, name.find(':'));
}

bool ProcessInfo::starting(std::int32_t pid) const {
  return is_zygote_name(first_argument(read(pid, "cmdline")));
}

std::optional<int> ProcessInfo::oom_score_adj(std::int32_t pid) const {
  return leading_number<int>(read(pid, "oom_score_adj"));
}

std::optional<std::int32_t> ProcessInfo::process_of(std::int32_t tid) const {
  const std::string status = read(tid, "status");
  constexpr std::string_view kKey = "\nTgid:";
  const std::size_t at = status.find(kKey);
  return at == std::string::npos
             ? std::nullopt
             : process_number(std::string_view(status).substr(at + kKey.size()));
}

std::vector<std::int32_t> ProcessInfo::find(const std::vector<std::string>& packages) const {
  std::vector<std::int32_t> found;
  std::error_code error;
  for (const fs::path& each : entries_of(root_, error)) {
    const auto pid = process_number(each.filename().native());
    if (pid && std::find(packages.begin(), packages.end(), package(*pid)) != packages.end()) {
      found.push_back(*pid);
    }
  }
  return found;
}

UniqueFd open_pidfd(std::int32_t pid) {
#ifdef SYS_pidfd_open
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
#else
  (void)pid;
  return {};
#endif
}

}  // namespace framegov

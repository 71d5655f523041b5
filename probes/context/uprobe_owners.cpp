// SPDX-License-Identifier: Apache-2.0
#include "probes/context/uprobe_owners.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/file.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

std::optional<TracefsUprobe> parse_definition(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !(line.starts_with("p:") || line.starts_with("r:"))) {
    return std::nullopt;
  }
  std::string_view place = line.substr(space + 1);
  place = place.substr(0, place.find(' '));
  const std::size_t colon = place.rfind(":0x");
  if (!place.starts_with('/') || colon == std::string_view::npos || space == 2) {
    return std::nullopt;
  }
  return TracefsUprobe{std::string(line.substr(2, space - 2)), std::string(place.substr(0, colon))};
}

std::optional<std::int32_t> number_of(const fs::path& entry) {
  const std::string name = entry.filename();
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && end == name.data() + name.size() ? std::optional(number)
                                                                  : std::nullopt;
}

/// The file under the uprobe that descriptor `fd` of `pid` is for; empty when it is for none.
std::string probed_by(std::int32_t pid, std::int32_t fd) {
  std::array<char, 4096> file{};
  auto length = static_cast<std::uint32_t>(file.size());
  std::uint32_t program = 0;
  std::uint32_t kind = 0;
  __u64 offset = 0;
  __u64 address = 0;
  const bool told = ::bpf_task_fd_query(pid, fd, 0, file.data(), &length, &program, &kind, &offset,
                                        &address) == 0;
  return told && (kind == BPF_FD_TYPE_UPROBE || kind == BPF_FD_TYPE_URETPROBE) ? file.data() : "";
}

void add_process(const fs::path& folder, std::int32_t pid, std::vector<BpfUprobe>& found) {
  const std::size_t before = found.size();
  std::error_code gone;
  for (const fs::path& descriptor : entries_of(folder / "fd", gone)) {
    std::error_code unreadable;
    const std::string target = fs::read_symlink(descriptor, unreadable);
    const auto fd = number_of(descriptor);
    if (!fd || target != "anon_inode:[perf_event]") {
      continue;
    }
    const std::string file = probed_by(pid, *fd);
    const bool known = std::any_of(found.begin() + static_cast<std::ptrdiff_t>(before), found.end(),
                                   [&](const BpfUprobe& u) { return u.file == file; });
    if (!file.empty() && !known) {
      found.push_back({pid, first_line(folder / "comm"), file});
    }
  }
}

}  // namespace

std::vector<TracefsUprobe> parse_uprobe_events(std::string_view text) {
  std::vector<TracefsUprobe> uprobes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (auto uprobe = parse_definition(line)) {
      uprobes.push_back(*std::move(uprobe));
    }
  }
  return uprobes;
}

std::vector<BpfUprobe> bpf_uprobes(const fs::path& proc) {
  std::vector<BpfUprobe> found;
  std::error_code gone;
  for (const fs::path& process : entries_of(proc, gone)) {
    if (const auto pid = number_of(process)) {
      add_process(process, *pid, found);
    }
  }
  return found;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/trace_leftovers.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <vector>

#include "base/file.h"
#include "probes/context/uprobe_owners.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOurs = "framegov";
/// Source: libbpf.c, gen_uprobe_legacy_event_name() and probe_uprobe_legacy().
constexpr std::string_view kLibbpfs = "uprobes/libbpf_";

/// The process id after "PREFIX_"; 0 where there is none, as in names of before ids were in them.
std::int32_t owner_in(std::string_view name, std::string_view prefix) {
  name.remove_prefix(std::min(name.size(), prefix.size()));
  std::int32_t id = 0;
  std::from_chars(name.data(), name.data() + name.size(), id);
  return id;
}

/// Ids are used again: only a process of ours can be the owner of what is ours.
bool framegov_lives(const fs::path& proc, std::int32_t id) {
  return id != 0 && read_node(proc / std::to_string(id) / "comm").starts_with(kOurs);
}

bool lives(const fs::path& proc, std::int32_t id) {
  std::error_code error;
  return id == 0 || fs::exists(proc / std::to_string(id), error);
}

std::string group_of(const std::string& event) { return event.substr(0, event.find('/')); }

bool left_by_framegov(const std::string& name, const fs::path& proc) {
  return is_framegovs(name) && !framegov_lives(proc, owner_in(name, "framegov_"));
}

/// An instance with an open file cannot be removed.
void disable_events(const fs::path& instance, const std::string& group) {
  (void)write_trace_file(instance / "events" / group / "enable", "0");
}

std::vector<TracefsUprobe> uprobes_in(const fs::path& tracefs) {
  return parse_uprobe_events(read_node(tracefs / "uprobe_events"));
}

}  // namespace

int write_trace_file(const fs::path& path, std::string_view text) {
  const UniqueFd file = open_file(path, O_WRONLY | O_APPEND);
  if (!file) {
    return errno;
  }
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  return written == static_cast<ssize_t>(text.size()) ? 0 : errno;
}

std::string own_trace_name() { return "framegov_" + std::to_string(::getpid()); }

bool is_framegovs(std::string_view name) {
  const std::string_view word = name.substr(0, name.find('/'));
  if (!word.starts_with(kOurs)) {
    return false;
  }
  const std::string_view rest = word.substr(kOurs.size());
  return rest.empty() || rest == "-frequencies" ||
         (rest.size() > 1 && rest[0] == '_' && rest[1] >= '0' && rest[1] <= '9');
}

bool is_a_services(std::string_view event, const fs::path& proc) {
  return is_framegovs(event) ||
         (event.starts_with(kLibbpfs) && framegov_lives(proc, owner_in(event, kLibbpfs)));
}

void remove_trace_instance(const fs::path& tracefs, const std::string& name) {
  const fs::path folder = tracefs / "instances" / name;
  disable_events(folder, name);
  ::rmdir(folder.c_str());
  for (const TracefsUprobe& uprobe : uprobes_in(tracefs)) {
    if (group_of(uprobe.event) == name) {
      (void)write_trace_file(tracefs / "uprobe_events", "-:" + uprobe.event + "\n");
    }
  }
}

int remove_trace_leftovers(const fs::path& tracefs, const fs::path& proc,
                           std::span<const fs::path> libraries) {
  std::vector<std::string> ours;
  std::error_code error;
  for (const fs::path& instance : entries_of(tracefs / "instances", error)) {
    if (left_by_framegov(instance.filename().string(), proc)) {
      ours.push_back(instance.filename().string());
    }
  }
  int libbpfs = 0;
  for (const TracefsUprobe& uprobe : uprobes_in(tracefs)) {
    if (left_by_framegov(uprobe.event, proc)) {
      ours.push_back(group_of(uprobe.event));
    } else if (uprobe.event.starts_with(kLibbpfs) &&
               !lives(proc, owner_in(uprobe.event, kLibbpfs)) &&
               std::find(libraries.begin(), libraries.end(), uprobe.file) != libraries.end()) {
      (void)write_trace_file(tracefs / "uprobe_events", "-:" + uprobe.event + "\n");
      ++libbpfs;
    }
  }
  std::sort(ours.begin(), ours.end());
  ours.erase(std::unique(ours.begin(), ours.end()), ours.end());
  for (const std::string& name : ours) {
    remove_trace_instance(tracefs, name);
  }
  return static_cast<int>(ours.size()) + libbpfs;
}

}  // namespace framegov

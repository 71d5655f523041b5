// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/found_engines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "governor/state/open_inside.h"
#include "probes/context/child_command.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

/// An app can start as many processes of a vendor's name as it likes.
constexpr std::size_t kMostMarks = 8;
constexpr std::size_t kMostSwitches = 8;
constexpr std::size_t kFoldersBelow = 2;
constexpr Duration kPatienceWithGetprop = std::chrono::seconds{2};

bool is_process(std::string_view name) { return std::all_of(name.begin(), name.end(), is_digit); }

/// Marks of one kind, sorted: folders are read in no order.
class MarkKeeper {
 public:
  explicit MarkKeeper(std::vector<FoundEngine>& engines) : engines_(engines) {}

  void add(std::string_view name, const std::string& mark) {
    for (FoundEngine& each : engines_) {
      if (bears_name(*each.engine, name)) {
        marks_[&each].push_back(printable(mark));
      }
    }
  }
  ~MarkKeeper() {
    for (auto& [engine, marks] : marks_) {
      std::sort(marks.begin(), marks.end());
      marks.erase(std::unique(marks.begin(), marks.end()), marks.end());
      for (std::string& mark : marks) {
        if (engine->marks.size() < kMostMarks) {
          engine->marks.push_back(std::move(mark));
        }
      }
    }
  }
  MarkKeeper(const MarkKeeper&) = delete;
  MarkKeeper& operator=(const MarkKeeper&) = delete;

 private:
  std::vector<FoundEngine>& engines_;
  std::map<FoundEngine*, std::vector<std::string>> marks_;
};

/// Every switch of `engine` in `folder`, which is `path` to the kernel.
void add_switches(const EngineRoots& roots, const std::string& path, std::size_t depth,
                  FoundEngine& engine) {
  std::error_code error;
  for (const fs::path& entry : entries_of(roots.real(path), error)) {
    const std::string below = path + "/" + entry.filename().string();
    std::error_code unreadable;
    if (fs::is_directory(fs::symlink_status(entry, unreadable)) && depth < kFoldersBelow) {
      add_switches(roots, below, depth + 1, engine);
    } else if (is_switch(*engine.engine, below) && engine.switches.size() < kMostSwitches) {
      if (auto found = read_switch(roots, below)) {
        engine.switches.push_back(*std::move(found));
      }
    }
  }
}

void look_in_place(const EngineRoots& roots, std::string_view place,
                   std::vector<FoundEngine>& engines) {
  const bool modules = place == "/sys/module";
  MarkKeeper marks(engines);
  std::error_code error;
  for (const fs::path& entry : entries_of(roots.real(place), error)) {
    const std::string name = entry.filename().string();
    if (place == "/proc" && is_process(name)) {
      continue;
    }
    const std::string path = std::string(place) + "/" + name;
    marks.add(name, modules ? "module " + name : "node " + path);
    for (FoundEngine& each : engines) {
      if (bears_name(*each.engine, name)) {
        add_switches(roots, path, 0, each);
      }
    }
  }
}

/// The program's file name, or the app's package: an app's process is named as it likes after ':'.
/// Kernel threads have no command line.
std::string program_of(const fs::path& process) {
  const std::string line = read_node(process / "cmdline");
  std::string first = line.substr(0, line.find('\0'));
  if (first.empty()) {
    return first_line(process / "comm");
  }
  first = first.substr(first.rfind('/') + 1);
  return first.substr(0, first.find(':'));
}

void look_at_processes(const EngineRoots& roots, std::vector<FoundEngine>& engines) {
  MarkKeeper marks(engines);
  std::error_code error;
  for (const fs::path& process : entries_of(roots.proc, error)) {
    const std::string id = process.filename().string();
    if (is_process(id)) {
      const std::string program = program_of(process);
      marks.add(program, "process " + program + " (" + id + ")");
    }
  }
}

/// "[init.svc.uperf]: [running]"
void look_at_properties(const EngineRoots& roots, std::vector<FoundEngine>& engines) {
  if (::access(roots.getprop.c_str(), X_OK) != 0) {
    return;
  }
  const auto text = run_command({roots.getprop.string()}, kPatienceWithGetprop);
  if (!text) {
    return;
  }
  MarkKeeper marks(engines);
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = take_line(rest);
    const std::size_t end = line.find("]: [");
    if (line.starts_with('[') && line.ends_with(']') && end != std::string_view::npos) {
      const std::string_view name = line.substr(1, end - 1);
      const std::string_view value = line.substr(end + 4, line.size() - end - 5);
      marks.add(name, "property " + std::string(name) + "=" + std::string(value));
    }
  }
}

/// A descriptor of the node itself; empty with errno.
UniqueFd open_switch(const EngineRoots& roots, std::string_view path, int flags) {
  const bool of_sys = path.starts_with("/sys/");
  const fs::path& root = of_sys ? roots.sys : roots.proc;
  const UniqueFd folder{::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const std::string inside(path.substr(std::string_view(of_sys ? "/sys/" : "/proc/").size()));
  return UniqueFd{folder ? open_inside(folder.get(), inside.c_str(), flags, Links::kNone) : -1};
}

}  // namespace

EngineState FoundEngine::state() const {
  if (switches.empty()) {
    return EngineState::kThere;
  }
  const bool on = std::any_of(switches.begin(), switches.end(),
                              [](const EngineSwitch& each) { return each.on(); });
  return on ? EngineState::kOn : EngineState::kOff;
}

std::vector<FoundEngine> find_engines(const EngineRoots& roots) {
  std::vector<FoundEngine> engines;
  for (const FrameEngine& known : known_engines()) {
    engines.push_back({&known, {}, {}});
  }
  for (const std::string_view place : engine_places()) {
    look_in_place(roots, place, engines);
  }
  look_at_processes(roots, engines);
  look_at_properties(roots, engines);
  std::erase_if(engines, [](const FoundEngine& each) { return each.marks.empty(); });
  for (FoundEngine& each : engines) {
    std::sort(each.switches.begin(), each.switches.end(),
              [](const EngineSwitch& a, const EngineSwitch& b) { return a.path < b.path; });
    each.switches.erase(std::unique(each.switches.begin(), each.switches.end()),
                        each.switches.end());
  }
  return engines;
}

std::optional<EngineSwitch> read_switch(const EngineRoots& roots, std::string path) {
  const UniqueFd node = open_switch(roots, path, O_RDONLY);
  std::array<char, 4> text{};
  const ssize_t size = node ? ::read(node.get(), text.data(), text.size()) : -1;
  const bool one_letter = size == 1 || (size == 2 && text[1] == '\n');
  if (!one_letter || std::string_view("01NY").find(text[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  return EngineSwitch{std::move(path), text[0]};
}

Status write_switch(const EngineRoots& roots, const std::string& path, char value) {
  const UniqueFd node = open_switch(roots, path, O_WRONLY);
  if (!node || ::write(node.get(), &value, 1) != 1) {
    return fail_errno(errno, path + ": it could not be written",
                      "framegov must be root, and nothing may be mounted over the node");
  }
  const auto now = read_switch(roots, path);
  if (!now || now->value != value) {
    return fail(ExitCode::kFailure, path + ": the kernel did not take " + value,
                "another program may hold it");
  }
  return {};
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/foreground_tracker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <sstream>

#include "base/file.h"
#include "probes/context/dumpsys_text.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

/// A process is moved before it has its name and its final oom_score_adj: the group is read again
/// after so long, and so often while a process without a name is in it.
constexpr Duration kSettle = std::chrono::milliseconds{150};
constexpr int kMostRechecks = 10;
/// A command without an answer for so long is given up.
constexpr Duration kAnswerTimeout = std::chrono::seconds{10};
constexpr std::array kGroupFiles = {"cgroup.procs", "tasks"};

constexpr std::string_view kSystemUi = "com.android.systemui";
/// Keyboards by their name, for as long as the system has not told which is used.
constexpr std::array<std::string_view, 4> kKeyboardWords = {".inputmethod", ".honeyboard",
                                                            ".swiftkey", "com.baidu.input"};

bool is_executable(const CommandLine& command) {
  return !command.empty() && ::access(command.front().c_str(), X_OK) == 0;
}

/// The ids in a cgroup file; nothing when it cannot be read.
std::vector<std::int32_t> read_ids(const fs::path& path) {
  std::vector<std::int32_t> ids;
  std::istringstream file(read_node(path));
  for (std::int32_t id = 0; file >> id;) {
    ids.push_back(id);
  }
  return ids;
}

/// Not for the file's sake.
bool nothing_can_be_opened(const fs::path& path) {
  return !open_file(path, O_RDONLY) && (errno == EMFILE || errno == ENFILE || errno == ENOMEM);
}

bool readable(int fd) {
  return fd >= 0 && [fd] {
    pollfd waiting{fd, POLLIN, 0};
    return ::poll(&waiting, 1, 0) == 1;
  }();
}

}  // namespace

ForegroundTracker::ForegroundTracker(ForegroundSettings settings, AppNames& names)
    : settings_(std::move(settings)),
      names_(names),
      process_info_(settings_.proc_root),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

Result<std::unique_ptr<ForegroundTracker>> ForegroundTracker::open(ForegroundSettings settings,
                                                                   AppNames& names) {
  std::unique_ptr<ForegroundTracker> tracker(new ForegroundTracker(std::move(settings), names));
  if (!tracker->epoll_) {
    return fail_errno(errno, "epoll");
  }
  const ForegroundSettings& used = tracker->settings_;
  const auto group = std::find_if(used.groups.begin(), used.groups.end(), [](const fs::path& path) {
    return ::access((path / "cgroup.procs").c_str(), R_OK) == 0 ||
           ::access((path / "tasks").c_str(), R_OK) == 0;
  });
  if (group != used.groups.end()) {
    tracker->group_ = *group;
    FRAMEGOV_TRY_STATUS(tracker->watch_group());
    tracker->mechanism_ = "group " + group->string();
  } else if (is_executable(used.activities)) {
    tracker->mechanism_ = used.activities.front();
  } else {
    return fail(ExitCode::kUnsupported, "which app is on top cannot be known here",
                "there is no top-app cgroup and no dumpsys");
  }
  if (is_executable(used.keyboard)) {
    (void)ask(tracker->keyboard_, used.keyboard, tracker->epoll_.get());
  }
  return tracker;
}

Status ForegroundTracker::watch_group() {
  inotify_.reset(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  for (const char* file : kGroupFiles) {
    // Only one of the two may be there.
    ::inotify_add_watch(inotify_.get(), (group_ / file).c_str(), IN_MODIFY);
  }
  if (!inotify_ || !wait_on(inotify_.get())) {
    return fail_errno(errno, group_.string() + ": watching it");
  }
  return {};
}

bool ForegroundTracker::wait_on(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool ForegroundTracker::update(Instant now) {
  bool changed = take_answers();
  changed = take_exits() || changed;
  if (take_changes()) {
    announced_ = true;
    rechecks_left_ = kMostRechecks;
    return look(now) || changed;
  }
  if (is_known(recheck_at_) && recheck_at_ <= now) {
    return look(now) || changed;
  }
  return changed;
}

bool ForegroundTracker::on_frame(std::int32_t pid, Instant now) {
  const bool first = !is_known(looked_at_);
  const bool due = now - looked_at_ >= settings_.poll;
  const bool doubt = !announced_ || app_of(pid) == AppId::kUnknown;
  return first || (due && doubt) ? look(now) : false;
}

AppId ForegroundTracker::app_of(std::int32_t pid) const {
  const auto found =
      std::find_if(processes_.begin(), processes_.end(),
                   [pid](const ForegroundProcess& process) { return process.pid == pid; });
  return found == processes_.end() ? AppId::kUnknown : found->app;
}

bool ForegroundTracker::take_answers() {
  bool changed = false;
  if (keyboard_ && keyboard_->read()) {
    keyboard_package_ = keyboard_package(keyboard_->text());
    keyboard_.reset();
    const AppId keyboard = app_id_of(keyboard_package_);
    changed = std::erase_if(processes_, [keyboard](const ForegroundProcess& process) {
                return process.app == keyboard;
              }) > 0;
  }
  if (!activities_ || !activities_->read()) {
    return changed;
  }
  const std::vector<std::string> packages = resumed_packages(activities_->text());
  activities_.reset();
  return use(process_info_.find(packages), false) || changed;
}

bool ForegroundTracker::take_exits() {
  return std::erase_if(processes_, [](const ForegroundProcess& process) {
           return readable(process.exit.get());
         }) > 0;
}

bool ForegroundTracker::take_changes() {
  alignas(inotify_event) std::array<char, 4096> events;
  bool any = false;
  while (inotify_ && ::read(inotify_.get(), events.data(), events.size()) > 0) {
    any = true;
  }
  return any;
}

bool ForegroundTracker::look(Instant now) {
  looked_at_ = now;
  recheck_at_ = Instant{};
  if (!group_.empty()) {
    return look_into_group(now);
  }
  if (!activities_ || now - asked_at_ > kAnswerTimeout) {
    activities_.reset();
    asked_at_ = now;
    (void)ask(activities_, settings_.activities, epoll_.get());
  }
  return false;  // update() takes the answer
}

bool ForegroundTracker::look_into_group(Instant now) {
  if (nothing_can_be_opened(group_ / kGroupFiles[0])) {
    recheck_at_ = now + kSettle;
    return false;  // what is known stays; who ends is told all the same
  }
  std::vector<std::int32_t> pids = read_ids(group_ / kGroupFiles[0]);
  if (pids.empty()) {
    for (const std::int32_t tid : read_ids(group_ / kGroupFiles[1])) {
      if (process_info_.process_of(tid) == tid) {
        pids.push_back(tid);
      }
    }
  }
  const bool starting = std::any_of(
      pids.begin(), pids.end(), [this](std::int32_t pid) { return process_info_.starting(pid); });
  // Once more after any change, then only for a process without a name.
  if (rechecks_left_ == kMostRechecks || (starting && rechecks_left_ > 0)) {
    --rechecks_left_;
    recheck_at_ = now + kSettle;
  }
  return use(pids, true);
}

bool ForegroundTracker::use(const std::vector<std::int32_t>& pids, bool must_be_on_top) {
  std::vector<ForegroundProcess> next;
  for (const std::int32_t pid : pids) {
    const std::string package = process_info_.package(pid);
    if (package.empty() || ignored(package) || next.size() == kMostProcesses ||
        (must_be_on_top && process_info_.oom_score_adj(pid) != 0)) {
      continue;
    }
    next.push_back({pid, names_.add(package), UniqueFd()});
  }
  bool changed = next.size() != processes_.size();
  for (ForegroundProcess& process : next) {
    const auto known = std::find_if(processes_.begin(), processes_.end(),
                                    [&process](const ForegroundProcess& old) {
                                      return old.pid == process.pid && old.app == process.app;
                                    });
    if (known != processes_.end()) {
      process.exit = std::move(known->exit);
      continue;
    }
    changed = true;
    process.exit = open_pidfd(process.pid);
    if (process.exit) {
      // Where it cannot be waited on, the next look finds the process gone.
      (void)wait_on(process.exit.get());
    }
  }
  processes_ = std::move(next);
  return changed;
}

bool ForegroundTracker::ignored(const std::string& package) const {
  return package == kSystemUi || (!keyboard_package_.empty() && package == keyboard_package_) ||
         std::any_of(kKeyboardWords.begin(), kKeyboardWords.end(), [&](std::string_view word) {
           return package.find(word) != std::string::npos;
         });
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/context/app_names.h"
#include "probes/context/child_command.h"
#include "probes/context/process_info.h"

namespace framegov {

struct ForegroundSettings {
  std::filesystem::path proc_root = "/proc";
  /// Groups of the tasks on top, in order of preference; the first that is there is used.
  std::vector<std::filesystem::path> groups;
  CommandLine activities;  ///< `dumpsys activity activities`, for phones without such a group
  CommandLine keyboard;    ///< `settings get secure default_input_method`
  /// How often it is looked at anew while frames come and changes do not announce themselves.
  Duration poll = std::chrono::seconds{1};
};

struct ForegroundProcess {
  std::int32_t pid{};
  AppId app{};
  UniqueFd exit;  ///< readable when the process ends; empty where the kernel has no pidfd
};

/// Whose frames matter: the processes of the apps on top, several in split screen and freeform.
///
/// Members of the top-app group with oom_score_adj 0, without SystemUI and the keyboard. Their
/// changes come by inotify on the group's files (a write to them is seen, as activity managers make
/// it; a fork is not). Until one has come, changes are not relied on to announce themselves: the
/// group is read anew, at most every `poll`, when frames come. Where there is no such group,
/// `dumpsys activity activities` is asked in the same way. One thread; wakes nobody at a still
/// screen.
class ForegroundTracker {
 public:
  static constexpr std::size_t kMostProcesses = 16;

  /// Error: kUnsupported when neither a group nor the command is there.
  [[nodiscard]] static Result<std::unique_ptr<ForegroundTracker>> open(ForegroundSettings settings,
                                                                       AppNames& names);

  /// For epoll: readable when update() has something to do.
  [[nodiscard]] int fd() const { return epoll_.get(); }
  /// When update() is to be called if nothing happens before; zero for never.
  [[nodiscard]] Instant wake_at() const { return recheck_at_; }

  /// Takes in what has happened. True when the processes on top have changed.
  [[nodiscard]] bool update(Instant now);
  /// A frame of `pid` has come: looks again when it may be time to. True when that changed them.
  [[nodiscard]] bool on_frame(std::int32_t pid, Instant now);

  /// Empty: not known (or nothing but the keyboard and SystemUI).
  [[nodiscard]] std::span<const ForegroundProcess> processes() const { return processes_; }
  [[nodiscard]] AppId app_of(std::int32_t pid) const;

  /// A command's answer is awaited: update() takes it.
  [[nodiscard]] bool asking() const { return activities_ || keyboard_; }
  /// Every change announces itself: frames of other processes need not be looked at.
  [[nodiscard]] bool changes_announced() const { return announced_; }
  /// In words: how the apps on top are known.
  [[nodiscard]] const std::string& mechanism() const { return mechanism_; }

 private:
  ForegroundTracker(ForegroundSettings settings, AppNames& names);

  [[nodiscard]] Status watch_group();
  [[nodiscard]] bool wait_on(int fd);
  [[nodiscard]] bool take_answers();
  [[nodiscard]] bool take_exits();
  [[nodiscard]] bool take_changes();
  [[nodiscard]] bool look(Instant now);
  [[nodiscard]] bool look_into_group(Instant now);
  [[nodiscard]] bool use(const std::vector<std::int32_t>& pids, bool must_be_on_top);
  [[nodiscard]] bool ignored(const std::string& package) const;

  ForegroundSettings settings_;
  AppNames& names_;
  ProcessInfo process_info_;
  std::filesystem::path group_;  ///< empty: the command is asked
  std::string mechanism_;
  UniqueFd epoll_;
  UniqueFd inotify_;
  std::optional<ChildCommand> activities_;  ///< while its answer is awaited
  std::optional<ChildCommand> keyboard_;
  std::string keyboard_package_;
  std::vector<ForegroundProcess> processes_;
  bool announced_ = false;
  Instant looked_at_;
  Instant asked_at_;
  Instant recheck_at_;
  int rechecks_left_ = 0;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/foreground_tracker.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/monotonic_clock.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// A /proc and a top-app group made of files.
class ForegroundTrackerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "foreground-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ / "proc");
    fs::create_directories(root_ / "top-app");
    settings_.proc_root = root_ / "proc";
    settings_.groups = {root_ / "absent", root_ / "top-app"};
    group({});
  }
  void TearDown() override { fs::remove_all(root_); }

  void process(int pid, const std::string& command_line, int adj = 0, int tgid = 0) {
    const fs::path folder = root_ / "proc" / std::to_string(pid);
    fs::create_directories(folder);
    std::ofstream(folder / "cmdline") << command_line << '\0' << "argument" << '\0';
    std::ofstream(folder / "oom_score_adj") << adj << '\n';
    std::ofstream(folder / "status") << "Name:\tx\nTgid:\t" << (tgid == 0 ? pid : tgid) << "\n";
  }
  void group(const std::vector<int>& pids, const char* file = "cgroup.procs") {
    std::ofstream out(root_ / "top-app" / file);
    for (const int pid : pids) {
      out << pid << '\n';
    }
  }
  void script(const std::string& name, const std::string& text) {
    std::ofstream(root_ / name) << "#!/bin/sh\n" << text;
    ::chmod((root_ / name).c_str(), 0755);
  }
  std::unique_ptr<ForegroundTracker> open() {
    auto tracker = ForegroundTracker::open(settings_, names_);
    EXPECT_TRUE(tracker) << (tracker ? "" : tracker.error().to_string());
    return tracker ? *std::move(tracker) : nullptr;
  }
  std::vector<std::string> on_top(const ForegroundTracker& tracker) const {
    std::vector<std::string> all;
    for (const ForegroundProcess& process : tracker.processes()) {
      all.push_back(std::to_string(process.pid) + " " + std::string(names_.name(process.app)));
    }
    return all;
  }
  static bool readable(const ForegroundTracker& tracker, int timeout_ms) {
    pollfd waiting{tracker.fd(), POLLIN, 0};
    return ::poll(&waiting, 1, timeout_ms) == 1;
  }

  fs::path root_;
  ForegroundSettings settings_;
  AppNames names_;
  Instant now_ = instant_from_ns(1'000'000'000'000);
};

TEST_F(ForegroundTrackerTest, TakesTheUnionWithoutKeyboardSystemUiAndBackground) {
  process(100, "com.a.game");
  process(101, "com.a.game:render");
  process(102, "com.b.chat");
  process(103, "com.android.systemui");
  process(104, "com.google.android.inputmethod.latin");
  process(105, "com.c.music", 200);
  group({100, 101, 102, 103, 104, 105, 999});
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  EXPECT_THAT(on_top(*tracker),
              UnorderedElementsAre("100 com.a.game", "101 com.a.game", "102 com.b.chat"));
  EXPECT_EQ(tracker->app_of(100), tracker->app_of(101));
  EXPECT_EQ(tracker->app_of(100), app_id_of("com.a.game"));
  EXPECT_EQ(tracker->app_of(105), AppId::kUnknown);
}

TEST_F(ForegroundTrackerTest, AChangeAnnouncesItself) {
  process(100, "com.a");
  process(200, "com.b");
  group({100});
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  EXPECT_FALSE(tracker->changes_announced());
  group({200});
  ASSERT_TRUE(readable(*tracker, 1000));
  EXPECT_TRUE(tracker->update(now_ + 1ms));
  EXPECT_TRUE(tracker->changes_announced());
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("200 com.b"));
  EXPECT_FALSE(readable(*tracker, 0));
  // Nothing changes, nothing is due: no wakeups for ever after the one look to be sure.
  ASSERT_TRUE(is_known(tracker->wake_at()));
  EXPECT_FALSE(tracker->update(tracker->wake_at()));
  EXPECT_FALSE(is_known(tracker->wake_at()));
}

TEST_F(ForegroundTrackerTest, WithoutDescriptorsItKeepsWhatItKnows) {
  process(100, "com.a");
  process(200, "com.b");
  group({100});
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  group({200});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool changed = tracker->update(now_ + 1ms);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_FALSE(changed);
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("100 com.a"));
  ASSERT_TRUE(is_known(tracker->wake_at()));
  EXPECT_TRUE(tracker->update(tracker->wake_at()));
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("200 com.b"));
}

TEST_F(ForegroundTrackerTest, ANewProcessIsLookedAtAgainUntilItHasItsName) {
  process(300, "zygote64");
  group({});
  const auto tracker = open();
  group({300});
  EXPECT_FALSE(tracker->update(now_));
  EXPECT_THAT(on_top(*tracker), IsEmpty());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(is_known(tracker->wake_at()));
    now_ = tracker->wake_at();
    EXPECT_FALSE(tracker->update(now_));
  }
  process(300, "com.late");
  EXPECT_TRUE(tracker->update(tracker->wake_at()));
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("300 com.late"));
  EXPECT_FALSE(is_known(tracker->wake_at()));
}

TEST_F(ForegroundTrackerTest, WithoutAnnouncementsItIsLookedAtWhenFramesComeButNotTooOften) {
  process(100, "com.a");
  group({100});
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  process(100, "com.a", 900);
  EXPECT_FALSE(tracker->on_frame(100, now_ + settings_.poll / 2));
  EXPECT_FALSE(is_known(tracker->wake_at()));
  EXPECT_TRUE(tracker->on_frame(100, now_ + settings_.poll));
  EXPECT_THAT(on_top(*tracker), IsEmpty());
}

TEST_F(ForegroundTrackerTest, ReadsThreadsWhereThereAreNoProcesses) {
  fs::remove(root_ / "top-app" / "cgroup.procs");
  process(100, "com.a");
  process(107, "com.a", 0, 100);
  group({100, 107}, "tasks");
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("100 com.a"));
}

TEST_F(ForegroundTrackerTest, AnEndedProcessIsGoneAtOnce) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  process(child, "com.a");
  group({child});
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(child, now_));
  ASSERT_EQ(tracker->processes().size(), 1U);
  if (!tracker->processes()[0].exit) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    GTEST_SKIP() << "the kernel has no pidfd_open";
  }
  EXPECT_FALSE(readable(*tracker, 0));
  ::kill(child, SIGKILL);
  EXPECT_TRUE(readable(*tracker, 5000));
  EXPECT_TRUE(tracker->update(now_ + 1ms));
  EXPECT_THAT(on_top(*tracker), IsEmpty());
  EXPECT_FALSE(readable(*tracker, 0));
  ::waitpid(child, nullptr, 0);
}

TEST_F(ForegroundTrackerTest, AsksTheActivityManagerAsTheLastResort) {
  settings_.groups.clear();
  process(100, "com.a");
  process(101, "com.a:push");
  process(102, "com.b");
  script("dumpsys",
         "[ \"$1 $2\" = 'activity activities' ] && "
         "echo '  topResumedActivity=ActivityRecord{1 u0 com.a/.M t1}'\n");
  settings_.activities = {(root_ / "dumpsys").string(), "activity", "activities"};
  const auto tracker = open();
  EXPECT_FALSE(tracker->on_frame(100, now_));
  bool changed = false;
  for (int i = 0; i < 100 && !changed; ++i) {
    ASSERT_TRUE(readable(*tracker, 5000));
    changed = tracker->update(now_ + 1ms);
  }
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("100 com.a", "101 com.a"));
  EXPECT_FALSE(tracker->changes_announced());
}

TEST_F(ForegroundTrackerTest, LeavesOutTheKeyboardThatTheSystemNames) {
  process(100, "com.a");
  process(101, "org.keys");
  group({100, 101});
  script("settings", "echo org.keys/.Service\n");
  settings_.keyboard = {(root_ / "settings").string(), "get"};
  const auto tracker = open();
  EXPECT_TRUE(tracker->on_frame(100, now_));
  bool changed = false;
  for (int i = 0; i < 100 && !changed; ++i) {
    ASSERT_TRUE(readable(*tracker, 5000));
    changed = tracker->update(now_ + 1ms);
  }
  EXPECT_THAT(on_top(*tracker), UnorderedElementsAre("100 com.a"));
}

TEST_F(ForegroundTrackerTest, SaysWhenTheAppOnTopCannotBeKnown) {
  settings_.groups = {root_ / "absent"};
  settings_.activities = {"/nonexistent/dumpsys"};
  const auto tracker = ForegroundTracker::open(settings_, names_);
  ASSERT_FALSE(tracker);
  EXPECT_EQ(tracker.error().code, ExitCode::kUnsupported);
}

/// On the kernel's own cgroup files: does a write to them come through inotify?
TEST(ForegroundTrackerOnCgroup, TheKernelsFilesAnnounceAWrite) {
  const fs::path group = "/sys/fs/cgroup/cpuset/framegov-test-" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(group, error)) {
    GTEST_SKIP() << group.string() << ": " << error.message() << " (needs root and cpuset v1)";
  }
  for (const char* file : {"cpuset.cpus", "cpuset.mems"}) {
    std::string value;
    std::ifstream(group.parent_path() / file) >> value;
    std::ofstream(group / file) << value;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  std::ofstream("/proc/" + std::to_string(child) + "/oom_score_adj") << 0;
  AppNames names;
  ForegroundSettings settings;
  settings.groups = {group};
  {
    const auto tracker = ForegroundTracker::open(settings, names);
    EXPECT_TRUE(tracker);
    if (tracker) {
      std::ofstream(group / "cgroup.procs") << child;
      pollfd waiting{(*tracker)->fd(), POLLIN, 0};
      EXPECT_EQ(::poll(&waiting, 1, 1000), 1);
      (void)(*tracker)->update(monotonic_now());
      EXPECT_TRUE((*tracker)->changes_announced());
      EXPECT_NE((*tracker)->app_of(child), AppId::kUnknown);
    }
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int i = 0; i < 100 && !fs::remove(group, error); ++i) {
    ::usleep(10'000);
  }
}

}  // namespace
}  // namespace framegov

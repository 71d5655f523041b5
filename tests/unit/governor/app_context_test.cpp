// SPDX-License-Identifier: Apache-2.0
#include "governor/service/app_context.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Owner = AppContext::Owner;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Remembers which processes it was told to watch.
class WatchedSource final : public FrameSource {
 public:
  [[nodiscard]] SourceKind kind() const override { return SourceKind::kNone; }
  [[nodiscard]] int fd() const override { return -1; }
  [[nodiscard]] Result<bool> drain(FrameBatch&) override { return false; }
  [[nodiscard]] SourceCounters counters() const override { return {}; }
  void watch_only(std::span<const std::int32_t> pids) override {
    watched.assign(pids.begin(), pids.end());
  }
  std::vector<std::int32_t> watched;
};

class AppContextTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "context-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    auto log = Log::open(LogLevel::kInfo, root_ / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
    settings_.proc_root = root_ / "proc";
    settings_.cpu_root = root_ / "cpu";
    settings_.top_app_groups = {root_ / "top-app"};
    settings_.dumpsys = "/nonexistent/dumpsys";
    settings_.settings_command = "/nonexistent/settings";
    fs::create_directories(root_ / "top-app");
    group("");
    process(100, "com.a");
    process(200, "com.b");
  }
  void TearDown() override { fs::remove_all(root_); }

  void process(int pid, const std::string& name) {
    fs::create_directories(root_ / "proc" / std::to_string(pid));
    std::ofstream(root_ / "proc" / std::to_string(pid) / "cmdline") << name << '\0';
    std::ofstream(root_ / "proc" / std::to_string(pid) / "oom_score_adj") << "0\n";
  }
  void group(const std::string& pids) { std::ofstream(root_ / "top-app/cgroup.procs") << pids; }

  Owner frame_of(AppContext& context, std::int32_t pid) {
    event_ = {};
    event_.kind = FrameEvent::Kind::kFrame;
    event_.frame.pid = pid;
    return context.own(event_, now_, source_);
  }

  fs::path root_;
  std::unique_ptr<Log> log_;
  ServiceSettings settings_;
  WatchedSource source_;
  FrameEvent event_;
  Instant now_ = instant_from_ns(1'000'000'000'000);
};

TEST_F(AppContextTest, FramesOfTheAppOnTopGovernAndOthersDoNot) {
  group("100\n");
  AppContext context(settings_, test::phone_topology(), *log_);
  EXPECT_EQ(frame_of(context, 100), Owner::kOnTop);
  EXPECT_EQ(event_.frame.app, app_id_of("com.a"));
  EXPECT_EQ(context.name(event_.frame.app), "com.a");
  EXPECT_EQ(frame_of(context, 200), Owner::kOther);
  EXPECT_THAT(source_.watched, IsEmpty());  // not announced yet: everybody is watched
}

TEST_F(AppContextTest, NobodyKnownOnTopIsUnknown) {
  AppContext context(settings_, test::phone_topology(), *log_);
  EXPECT_EQ(frame_of(context, 100), Owner::kUnknown);
  EXPECT_EQ(event_.frame.app, AppId::kUnknown);
}

TEST_F(AppContextTest, AnAnnouncedChangeNarrowsTheSourceToTheAppOnTop) {
  group("100\n");
  AppContext context(settings_, test::phone_topology(), *log_);
  EXPECT_EQ(frame_of(context, 100), Owner::kOnTop);
  group("200\n");
  EXPECT_TRUE(context.update(now_, source_));
  EXPECT_THAT(source_.watched, ElementsAre(200));
  EXPECT_FALSE(context.on_top(app_id_of("com.a")));
  EXPECT_TRUE(context.on_top(app_id_of("com.b")));
  EXPECT_EQ(frame_of(context, 200), Owner::kOnTop);
}

TEST_F(AppContextTest, WithoutAWayToTellEveryProcessCounts) {
  settings_.top_app_groups.clear();
  AppContext context(settings_, test::phone_topology(), *log_);
  EXPECT_EQ(frame_of(context, 100), Owner::kOnTop);
  EXPECT_EQ(event_.frame.app, app_id_of("com.a"));
  EXPECT_EQ(frame_of(context, 999), Owner::kOnTop);  // nameless
  EXPECT_EQ(event_.frame.app, AppId{999});
  settings_.foreground = ForegroundChoice::kAll;
  settings_.top_app_groups = {root_ / "top-app"};
  AppContext all(settings_, test::phone_topology(), *log_);
  EXPECT_EQ(frame_of(all, 200), Owner::kOnTop);
}

}  // namespace
}  // namespace framegov

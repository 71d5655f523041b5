// SPDX-License-Identifier: Apache-2.0
// The module in an app's process, its companion, and the source of frames, with a double of Zygisk
// between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "base/file.h"
#include "config/settings.h"
#include "governor/confinement/confinement.h"
#include "governor/log/log.h"
#include "governor/profiles/owner_switches.h"
#include "governor/startup/source_factory.h"
#include "governor/state/state_dir.h"
#include "probes/sources/zygisk_source.h"
#include "tests/integration/zygisk/zygisk_double.h"
#include "tests/support/app_ring_memory.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using test::MadeFrame;
using test::ZygiskApp;
using test::ZygiskDaemon;

CpuTopology all_cpus() {
  CpuTopology topology;
  Cluster cluster;
  cluster.cpus = ~0ULL;
  cluster.opps.push_back({mhz(1000), Speed{1e9}, Power{100}});
  topology.clusters.push_back(cluster);
  return topology;
}

class ZygiskTest : public ::testing::Test {
 protected:
  ZygiskTest() {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    ::chmod(folder_.c_str(), S_IRWXU);
    daemon_ = std::make_unique<ZygiskDaemon>(folder_);
  }
  ~ZygiskTest() override {
    end_other_service();
    source_.reset();
    daemon_.reset();
    fs::remove_all(folder_);
  }
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "an app's process begins as root's";
    }
  }

  void open(AppFilter watched = {}) {
    ZygiskOptions options;
    options.state_dir = folder_;
    options.watched = std::move(watched);
    source_.reset();
    auto source = ZygiskSource::open(all_cpus(), options);
    ASSERT_TRUE(source) << source.error().to_string();
    source_ = *std::move(source);
  }

  void take() {
    for (bool more = true; more;) {
      FrameBatch batch;
      const auto drained = source_->drain(batch);
      ASSERT_TRUE(drained) << drained.error().to_string();
      more = *drained;
      for (const FrameEvent& event : batch) {
        if (event.kind == FrameEvent::Kind::kFrame) {
          frames_.push_back(event.frame);
        }
      }
    }
  }
  /// The source and the app's output, until the app ends or `frames` frames have been seen.
  void follow(ZygiskApp& app, std::size_t frames = ~0U) {
    pollfd both[] = {{source_->fd(), POLLIN, 0}, {app.fd(), POLLIN, 0}};
    for (bool runs = true; runs && frames_.size() < frames && ::poll(both, 2, 10'000) > 0;) {
      if (both[0].revents != 0) {
        take();
      }
      runs = both[1].revents == 0 || app.listen();
    }
    take();
  }
  /// The source alone, until `done`; at most ten seconds.
  template <class Done>
  bool wait_until(const Done& done) {
    pollfd wait{source_->fd(), POLLIN, 0};
    while (!done() && ::poll(&wait, 1, 10'000) > 0) {
      take();
    }
    return done();
  }
  /// An app whose start is answered by the source.
  std::unique_ptr<ZygiskApp> start(const std::vector<std::string>& arguments) {
    auto app = std::make_unique<ZygiskApp>(*daemon_, arguments);
    pollfd both[] = {{source_->fd(), POLLIN, 0}, {app->fd(), POLLIN, 0}};
    while (::poll(both, 2, 10'000) > 0 && both[1].revents == 0) {
      take();
    }
    return app;
  }

  void expect_every_frame(const ZygiskApp& app) {
    std::map<std::int64_t, Frame> seen;
    for (const Frame& frame : frames_) {
      EXPECT_TRUE(seen.emplace(to_ns(frame.vsync), frame).second) << "a frame twice";
    }
    ASSERT_FALSE(app.frames().empty());
    EXPECT_EQ(frames_.size(), app.frames().size());
    for (const MadeFrame& made : app.frames()) {
      ASSERT_TRUE(seen.contains(made.vsync)) << "a frame that was not seen";
      const Frame& frame = seen[made.vsync];
      EXPECT_EQ(frame.pid, app.pid());
      EXPECT_EQ(frame.source, SourceKind::kZygisk);
      EXPECT_TRUE(frame.has(FramePart::kUi) && frame.has(FramePart::kRender));
      EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
      EXPECT_GE(to_ns(frame.ui_done), made.done);
      EXPECT_GE(to_ns(frame.ready), made.ready);
      EXPECT_GE(frame.ready - frame.ui_done, std::chrono::milliseconds{2});
    }
    EXPECT_EQ(source_->counters().lost, 0U);
    EXPECT_EQ(source_->counters().rejected, 0U);
  }

  void end_other_service() {
    if (other_service_ > 0) {
      ::kill(other_service_, SIGKILL);
      ::waitpid(other_service_, nullptr, 0);
      other_service_ = -1;
    }
  }

  pid_t other_service_ = -1;  ///< a process; ends with the test, also where that fails
  fs::path folder_ = FRAMEGOV_ZYGISK_STATE;
  std::unique_ptr<ZygiskDaemon> daemon_;
  std::unique_ptr<ZygiskSource> source_;
  std::vector<Frame> frames_;
};

TEST_F(ZygiskTest, EveryFrameOfAnAppIsSeen) {
  open();
  auto app = start({"--frames", "100"});
  ASSERT_TRUE(app->watched());
  follow(*app);
  expect_every_frame(*app);
  EXPECT_TRUE(app->ended_well());
  std::printf("%zu of %zu frames\n", frames_.size(), app->frames().size());
}

TEST_F(ZygiskTest, AGamesFramesAreItsBuffers) {
  open();
  auto app = start({"--frames", "60", "--game"});
  ASSERT_TRUE(app->watched());
  follow(*app);
  // The first buffers only begin what follows.
  EXPECT_GE(frames_.size(), 55U);
  EXPECT_TRUE(std::all_of(frames_.begin(), frames_.end(),
                          [](const Frame& frame) { return frame.has(FramePart::kSurface); }));
  EXPECT_EQ(source_->counters().lost, 0U);
  EXPECT_TRUE(app->ended_well());
}

TEST_F(ZygiskTest, WithoutBuffersFramesEndWithTheirHandOver) {
  open();
  auto app = start({"--frames", "40", "--no-buffers"});
  ASSERT_TRUE(app->watched());
  follow(*app);
  EXPECT_GE(frames_.size(), 37U) << "the last wait for one behind them";
  EXPECT_FALSE(frames_.front().has(FramePart::kRender));
  EXPECT_TRUE(app->ended_well());
}

TEST_F(ZygiskTest, AnAppThatIsNotWatchedKeepsNothing) {
  open([](std::string_view package) { return package != "com.example.off"; });
  auto off = start({"--frames", "20", "--process", "com.example.off:remote"});
  EXPECT_FALSE(off->watched());
  follow(*off);
  EXPECT_TRUE(frames_.empty());
  EXPECT_EQ(source_->rings(), 0U);
  EXPECT_TRUE(off->ended_well());
  EXPECT_TRUE(start({"--frames", "20"})->watched());
}

TEST_F(ZygiskTest, WhatIsNoAppKeepsNothing) {
  open();
  for (const char* uid : {"0", "1000", "99123", "19999999"}) {
    EXPECT_FALSE(start({"--uid", uid})->watched()) << uid;
  }
  EXPECT_TRUE(start({"--uid", "1010123"})->watched()) << "of a second user";
}

TEST_F(ZygiskTest, AnAndroidThatIsNotKnownKeepsNothing) {
  open();
  auto app = start({"--frames", "5", "--class", "android/Other"});
  EXPECT_FALSE(app->watched());
  EXPECT_TRUE(app->ended_well());
  EXPECT_TRUE(wait_until([&] { return source_->rings() == 0; })) << "its ring is given back";
}

TEST_F(ZygiskTest, WithoutAServiceAnAppStartsAllTheSame) {
  ZygiskApp app(*daemon_, {"--frames", "10"});
  EXPECT_FALSE(app.watched());
  EXPECT_TRUE(app.ended_well());
  EXPECT_EQ(app.frames().size(), 10U);
}

TEST_F(ZygiskTest, TheRingEndsWithItsApp) {
  open();
  auto app = start({"--frames", "1000"});
  ASSERT_TRUE(app->watched());
  follow(*app, 10);
  EXPECT_EQ(source_->rings(), 1U);
  app->kill();
  EXPECT_TRUE(wait_until([&] { return source_->rings() == 0; }));
}

TEST_F(ZygiskTest, TheRingEndsWithItsAppThoughACopyOfItLivesOn) {
  for (const bool has_pidfds : {true, false}) {
    SCOPED_TRACE(has_pidfds ? "Linux 5.3" : "before Linux 5.3");
    daemon_.reset();
    fs::remove(folder_ / "zygiskd");
    daemon_ = std::make_unique<ZygiskDaemon>(folder_, has_pidfds);
    open();
    auto app = start({"--frames", "10", "--leaves-child"});
    ASSERT_TRUE(app->watched());
    EXPECT_EQ(source_->rings(), 1U);
    EXPECT_TRUE(wait_until([&] { return source_->rings() == 0; }));
    EXPECT_EQ(frames_.size(), 10U) << "its last frame is read";
    frames_.clear();
  }
}

TEST_F(ZygiskTest, AProcessThatBeganAfterTheAppAskedIsAnother) {
  open();
  const test::AppRingMemory memory;
  const UniqueFd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  /// As this process, which asks at `asked_ns`. True: its ring is taken.
  const auto is_taken = [&](std::uint64_t asked_ns) {
    const UniqueFd companion(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    daemon_->name().copy(address.sun_path, sizeof address.sun_path - 1);
    (void)::connect(companion.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    AppRingHello hello{};
    hello.asked_ns = asked_ns;
    hello.version = kAppRingVersion;
    iovec part{&hello, sizeof hello};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const std::array<int, 2> both{memory.fd(), wake.get()};
    std::memcpy(CMSG_DATA(rights), both.data(), sizeof both);
    EXPECT_EQ(::sendmsg(companion.get(), &message, 0), static_cast<ssize_t>(sizeof hello));
    pollfd ends[] = {{source_->fd(), POLLIN, 0}, {companion.get(), POLLIN, 0}};
    while (::poll(ends, 2, 10'000) > 0 && ends[1].revents == 0) {
      take();
    }
    unsigned char word = kAppRingRefused;
    return ::read(companion.get(), &word, sizeof word) == 1 && word == kAppRingTaken;
  };
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  EXPECT_TRUE(is_taken(static_cast<std::uint64_t>(now.tv_sec + 1) * 1'000'000'000U));
  EXPECT_FALSE(is_taken(1'000'000'000)) << "its number was that of another then";
}

TEST_F(ZygiskTest, ADescriptorThatIsNotKeptIsNotWritten) {
  open();
  auto app = start({"--frames", "20", "--keeps-none"});
  follow(*app);
  EXPECT_TRUE(app->ended_well());
  EXPECT_EQ(app->frames().size(), 20U);
  EXPECT_TRUE(frames_.empty());
}

TEST_F(ZygiskTest, ACopyOfAnAppsProcessWritesNothing) {
  open();
  auto app = start({"--frames", "50", "--forks"});
  ASSERT_TRUE(app->watched());
  follow(*app);
  expect_every_frame(*app);
}

TEST_F(ZygiskTest, OnlyWatchedProcessesWrite) {
  open();
  auto front = start({"--frames", "100"});
  auto behind = start({"--frames", "100", "--process", "com.example.behind"});
  ASSERT_TRUE(front->watched() && behind->watched());
  const std::int32_t pid = front->pid();
  source_->watch_only({&pid, 1});
  frames_.clear();
  follow(*front);
  EXPECT_TRUE(std::all_of(frames_.begin(), frames_.end(),
                          [pid](const Frame& frame) { return frame.pid == pid; }));
  EXPECT_GE(frames_.size(), 50U);
  const std::int32_t other = behind->pid();
  EXPECT_TRUE(behind->ended_well());
  EXPECT_EQ(behind->frames().size(), 100U) << "it is not held up by what nobody reads";
  EXPECT_NE(other, pid);
  EXPECT_EQ(source_->counters().lost, 0U);
}

TEST_F(ZygiskTest, AServiceThatIsKilledLeavesTheAppAndItsSuccessorGoesOn) {
  other_service_ = ::fork();
  if (other_service_ == 0) {
    open();
    for (pollfd wait{source_->fd(), POLLIN, 0};;) {
      ::poll(&wait, 1, -1);
      take();
    }
  }
  const fs::path door = folder_ / kAppRingSocket;
  for (int i = 0; i < 1000 && !fs::exists(door); ++i) {
    ::usleep(10'000);
  }
  ZygiskApp app(*daemon_, {"--frames", "400"});
  ASSERT_TRUE(app.watched());
  while (app.frames().size() < 20 && app.listen()) {
  }
  end_other_service();
  const std::size_t by_then = app.frames().size();
  open();
  follow(app);
  EXPECT_TRUE(app.ended_well());
  EXPECT_EQ(app.frames().size(), 400U) << "no frame waits for a service";
  EXPECT_GT(frames_.size(), 50U) << "the ring was handed over again";
  EXPECT_GT(to_ns(frames_.front().vsync), app.frames().at(by_then - 1).vsync);
  EXPECT_EQ(source_->counters().rejected, 0U);
}

TEST_F(ZygiskTest, ACompanionThatIsKilledLeavesTheApp) {
  open();
  auto app = start({"--frames", "60"});
  ASSERT_TRUE(app->watched());
  follow(*app, 10);
  daemon_.reset();
  EXPECT_TRUE(wait_until([&] { return source_->rings() == 0; })) << "its ring has gone with it";
  EXPECT_TRUE(app->ended_well());
  EXPECT_EQ(app->frames().size(), 60U);
}

TEST_F(ZygiskTest, AConfinedServiceReadsRings) {
  const pid_t service = ::fork();
  if (service == 0) {
    open();
    Settings settings;
    settings.service.state_dir = folder_;
    const auto log = Log::open(LogLevel::kInfo, folder_ / "log");
    const bool confined = log && confine(settings, SourceKind::kZygisk, {}, **log);
    std::ofstream(folder_ / "confined") << confined;
    wait_until([&] { return frames_.size() >= 30; });
    source_.reset();
    ::_exit(confined && !fs::exists(folder_ / kAppRingSocket) ? 0 : 1);
  }
  for (int i = 0; i < 1000 && !fs::exists(folder_ / "confined"); ++i) {
    ::usleep(10'000);
  }
  ZygiskApp app(*daemon_, {"--frames", "1000"});
  EXPECT_TRUE(app.watched()) << *read_file(folder_ / "log", {});
  int status = -1;
  ::waitpid(service, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << *read_file(folder_ / "log", {});
}

TEST_F(ZygiskTest, SystemServersStartIsTheMarkThatZygiskWorks) {
  ServiceSettings settings;
  settings.state_dir = folder_;
  EXPECT_FALSE(survey_sources(settings).zygisk);
  EXPECT_FALSE(ZygiskApp(*daemon_, {"--server"}).watched());
  for (int i = 0; i < 1000 && !survey_sources(settings).zygisk; ++i) {
    ::usleep(10'000);
  }
  EXPECT_TRUE(survey_sources(settings).zygisk);
  std::ofstream(folder_ / kZygiskMark) << "of another boot\n";
  EXPECT_FALSE(survey_sources(settings).zygisk);
}

TEST_F(ZygiskTest, ASecondServiceIsToldThatItIsTheSecond) {
  open();
  ZygiskOptions options;
  options.state_dir = folder_;
  const auto second = ZygiskSource::open(all_cpus(), options);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().to_string(), ::testing::HasSubstr("stop framegovd first"));
  auto app = start({"--frames", "20"});
  EXPECT_TRUE(app->watched()) << "the first one serves on";
}

TEST_F(ZygiskTest, SwitchedOffAppsAreNotWatched) {
  Settings settings;
  settings.service.state_dir = folder_;
  const auto folder = StateDir::open(folder_);
  ASSERT_TRUE(folder);
  const AppFilter governed = governed_apps(settings);
  EXPECT_TRUE(governed("com.example.app"));
  const auto switches = OwnerSwitches().with_app({"com.example.app", false});
  ASSERT_TRUE(switches && switches->save(*folder));
  EXPECT_FALSE(governed("com.example.app")) << "from the next start of the app on";
  EXPECT_TRUE(governed("com.example.other"));
}

}  // namespace
}  // namespace framegov

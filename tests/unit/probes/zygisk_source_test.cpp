// SPDX-License-Identifier: Apache-2.0
// How rings come to the source, by hand, with all that may be wrong about them.
#include "probes/sources/zygisk_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>
#include <filesystem>
#include <memory>

#include "probes/sources/app_ring_writer.h"
#include "tests/support/app_ring_memory.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using test::AppRingMemory;
using test::buffer_record;
using test::ui_record;

Instant source_time(int ms) {
  return instant_from_ns(1'000'000'000'000) + std::chrono::milliseconds{ms};
}

/// An app and the root process that hands its ring over.
struct HandedApp {
  explicit HandedApp(std::int32_t its_pid, const char* process = "com.example.app") : pid(its_pid) {
    hello.version = kAppRingVersion;
    hello.pid = pid;
    hello.uid = 10'000U + static_cast<unsigned>(pid);
    std::strncpy(hello.process, process, sizeof hello.process - 1);
    writer.start(&memory.ring());
  }

  void call(const fs::path& door) {
    connection = UniqueFd{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, door.c_str(), sizeof address.sun_path - 1);
    (void)::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  void say(std::size_t bytes = sizeof(AppRingHello), std::size_t fds = 2) {
    iovec part{&hello, bytes};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(3 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (fds > 0) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fds * sizeof(int));
      cmsghdr* const rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(fds * sizeof(int));
      const std::array<int, 3> numbers{memory.fd(), wake.get(), wake.get()};
      std::memcpy(CMSG_DATA(rights), numbers.data(), fds * sizeof(int));
    }
    EXPECT_EQ(::sendmsg(connection.get(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes));
  }

  /// What the source has answered; -1: nothing, -2: it has hung up.
  int answer() {
    unsigned char word = 0;
    const ssize_t got = ::recv(connection.get(), &word, sizeof word, MSG_DONTWAIT);
    return got == 1 ? word : got == 0 ? -2 : -1;
  }

  /// A frame of this app, and the wake if it is due.
  void frame(int ms) {
    const auto ui = ui_record(pid, source_time(ms));
    const auto buffer = buffer_record(pid, source_time(ms + 3));
    const bool wakes =
        writer.write(&ui, sizeof ui, false) | writer.write(&buffer, sizeof buffer, true);
    if (wakes) {
      wake_service();
    }
  }
  void wake_service() const {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(wake.get(), &one, sizeof one), 8);
  }

  std::int32_t pid;
  AppRingHello hello{};
  AppRingMemory memory;
  UniqueFd wake{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  UniqueFd connection;
  AppRingWriter writer;
};

class ZygiskSourceTest : public ::testing::Test {
 protected:
  ZygiskSourceTest() {
    std::string name = fs::temp_directory_path() / "framegov-rings-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    options_.state_dir = folder_;
    options_.peer = ::geteuid();
    options_.clock = [this] { return now_; };
    open();
  }
  ~ZygiskSourceTest() override {
    source_.reset();
    fs::remove_all(folder_);
  }
  void open() {
    source_.reset();
    auto source = ZygiskSource::open(CpuTopology{}, options_);
    ASSERT_TRUE(source) << source.error().to_string();
    source_ = *std::move(source);
  }
  [[nodiscard]] fs::path door() const { return folder_ / kAppRingSocket; }

  void drain() {
    // As long as there is something, as the service does.
    pollfd wait{source_->fd(), POLLIN, 0};
    for (int i = 0; i < 1000 && ::poll(&wait, 1, 0) > 0; ++i) {
      FrameBatch batch;
      ASSERT_TRUE(source_->drain(batch));
      for (const FrameEvent& event : batch) {
        frames_ += event.kind == FrameEvent::Kind::kFrame ? 1U : 0U;
      }
    }
    EXPECT_EQ(::poll(&wait, 1, 0), 0) << "it keeps the service awake";
  }
  int hand_over(HandedApp& app) {
    app.call(door());
    app.say();
    drain();
    return app.answer();
  }

  fs::path folder_;
  ZygiskOptions options_;
  Instant now_ = source_time(1000);
  std::unique_ptr<ZygiskSource> source_;
  std::size_t frames_ = 0;
};

TEST_F(ZygiskSourceTest, TakesARingAndItsFrames) {
  HandedApp app(100);
  EXPECT_EQ(hand_over(app), kAppRingTaken);
  for (int i = 0; i < 30; ++i) {
    app.frame(16 * i);
    drain();
  }
  EXPECT_EQ(frames_, 30U);
  EXPECT_EQ(source_->counters().events, 60U);
  EXPECT_EQ(source_->counters().frames, 30U);
}

TEST_F(ZygiskSourceTest, TheDoorIsRootsAlone) {
  struct stat found {};
  ASSERT_EQ(::stat(door().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  source_.reset();
  EXPECT_FALSE(fs::exists(door())) << "nothing is left";
}

TEST_F(ZygiskSourceTest, AnotherUsersProcessIsTurnedAway) {
  options_.peer = ::geteuid() + 1;
  open();
  HandedApp app(100);
  app.call(door());
  drain();
  EXPECT_EQ(app.answer(), -2);
  EXPECT_EQ(source_->rings(), 0U);
}

TEST_F(ZygiskSourceTest, AServiceThatIsTooBusyToLetCallersInIsThereAllTheSame) {
  const std::string why = "stop framegovd first";
  std::deque<UniqueFd> callers;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, door().c_str(), sizeof address.sun_path - 1);
  int connected = 0;
  for (int i = 0; i < 100 && connected == 0; ++i) {
    callers.emplace_back(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    connected = ::connect(callers.back().get(), reinterpret_cast<const sockaddr*>(&address),
                          sizeof address);
  }
  ASSERT_EQ(connected, -1) << "nobody lets them in";
  const auto second = ZygiskSource::open(CpuTopology{}, options_);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().to_string(), ::testing::HasSubstr(why));
}

TEST_F(ZygiskSourceTest, AMessageThatIsNoneIsRefused) {
  const auto refused = [&](auto spoil, std::size_t bytes = sizeof(AppRingHello),
                           std::size_t fds = 2) {
    HandedApp app(100);
    spoil(app.hello);
    app.call(door());
    app.say(bytes, fds);
    drain();
    return app.answer() == kAppRingRefused && app.answer() == -2;
  };
  const auto as_it_is = [](AppRingHello& /*hello*/) {};
  EXPECT_TRUE(refused([](AppRingHello& hello) { ++hello.version; })) << "of a newer module";
  EXPECT_TRUE(refused([](AppRingHello& hello) { hello.pid = 0; }));
  EXPECT_TRUE(refused([](AppRingHello& hello) { hello.pid = -1; }));
  EXPECT_TRUE(refused(as_it_is, 10));
  EXPECT_TRUE(refused(as_it_is, sizeof(AppRingHello), 0));
  EXPECT_TRUE(refused(as_it_is, sizeof(AppRingHello), 1));
  EXPECT_TRUE(refused(as_it_is, sizeof(AppRingHello), 3));
  EXPECT_EQ(source_->rings(), 0U);
}

TEST_F(ZygiskSourceTest, ANameWithoutAnEndIsReadToItsLength) {
  std::string asked;
  options_.watched = [&](std::string_view package) {
    asked = package;
    return true;
  };
  open();
  HandedApp app(100);
  std::memset(app.hello.process, 'x', sizeof app.hello.process);
  EXPECT_EQ(hand_over(app), kAppRingTaken);
  EXPECT_EQ(asked, std::string(sizeof app.hello.process, 'x'));
}

TEST_F(ZygiskSourceTest, OthersMemoryIsRefused) {
  HandedApp app(100);
  app.wake = UniqueFd{::eventfd(0, EFD_CLOEXEC)};
  HandedApp other(101);
  ASSERT_EQ(hand_over(other), kAppRingTaken);
  // The descriptor of the memory is that of the eventfd.
  ::dup2(app.wake.get(), app.memory.fd());
  EXPECT_EQ(hand_over(app), kAppRingRefused);
  EXPECT_EQ(source_->counters().rejected, 1U);
}

TEST_F(ZygiskSourceTest, AnAppThatIsNotWatchedIsToldSo) {
  options_.watched = [](std::string_view package) { return package != "com.example.off"; };
  open();
  HandedApp off(100, "com.example.off:render");
  HandedApp on(101, "com.example.on");
  EXPECT_EQ(hand_over(off), kAppRingRefused);
  EXPECT_EQ(hand_over(on), kAppRingTaken);
  EXPECT_EQ(source_->rings(), 1U);
}

TEST_F(ZygiskSourceTest, WhatAnAppWroteLastIsRead) {
  HandedApp app(100);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  app.frame(0);
  app.connection.reset();
  drain();
  EXPECT_EQ(frames_, 1U);
  EXPECT_EQ(source_->rings(), 0U);
  EXPECT_EQ(source_->counters().events, 2U) << "what was counted stays counted";
}

TEST_F(ZygiskSourceTest, CallersWhoSayNothingGiveWay) {
  std::deque<HandedApp> silent;
  for (std::size_t i = 0; i < 2 * RingDoor::kMostWaiting; ++i) {
    silent.emplace_back(200);
    silent.back().call(door());
    drain();
  }
  HandedApp app(100);
  EXPECT_EQ(hand_over(app), kAppRingTaken);
  EXPECT_EQ(silent.front().answer(), -2);
}

TEST_F(ZygiskSourceTest, OfTooManyRingsTheOneThatIsSilentForLongestGoes) {
  std::deque<HandedApp> apps;
  for (std::size_t i = 0; i <= ZygiskSource::kMostRings; ++i) {
    apps.emplace_back(static_cast<std::int32_t>(100 + i));
    now_ = source_time(1000 + static_cast<int>(i));
    ASSERT_EQ(hand_over(apps.back()), kAppRingTaken);
    if (i == 1) {
      now_ = source_time(2000);
      apps[0].frame(500);
      drain();
    }
  }
  EXPECT_EQ(source_->rings(), ZygiskSource::kMostRings);
  EXPECT_EQ(apps[0].answer(), -1) << "it has made a frame since";
  EXPECT_EQ(apps[1].answer(), -2) << "without a word, so that its companion comes again";
  EXPECT_FALSE(apps[1].writer.wanted());
}

TEST_F(ZygiskSourceTest, AnAppWithTooManyProcessesLosesOneOfItsOwn) {
  HandedApp other(99);
  ASSERT_EQ(hand_over(other), kAppRingTaken);
  std::deque<HandedApp> apps;
  for (std::size_t i = 0; i <= ZygiskSource::kMostRingsOfUser; ++i) {
    apps.emplace_back(static_cast<std::int32_t>(100 + i));
    apps.back().hello.uid = 10'123;
    now_ = source_time(1000 + static_cast<int>(i));
    ASSERT_EQ(hand_over(apps.back()), kAppRingTaken);
  }
  EXPECT_EQ(source_->rings(), 1 + ZygiskSource::kMostRingsOfUser);
  EXPECT_EQ(other.answer(), -1);
  EXPECT_EQ(apps[0].answer(), -2);
  EXPECT_EQ(apps[1].answer(), -1);
}

TEST_F(ZygiskSourceTest, AProcessWithTheNumberOfAnotherHasItAlone) {
  HandedApp gone(100);
  HandedApp app(100);
  ASSERT_EQ(hand_over(gone), kAppRingTaken);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  EXPECT_EQ(source_->rings(), 1U);
  EXPECT_EQ(gone.answer(), kAppRingRefused) << "and does not come again";
  gone.frame(0);
  gone.wake_service();
  app.frame(16);
  drain();
  EXPECT_EQ(frames_, 1U);
}

TEST_F(ZygiskSourceTest, ARingThatWakesForNothingEnds) {
  HandedApp app(100);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  for (int i = 0; i < 2 * ZygiskSource::kMostIdleWakes; ++i) {
    app.wake_service();
    drain();
  }
  EXPECT_EQ(source_->rings(), 0U);
  EXPECT_EQ(app.answer(), kAppRingRefused);
  EXPECT_FALSE(app.writer.wanted()) << "it writes for nobody";
}

TEST_F(ZygiskSourceTest, ARingWhoseRecordsAreAllRejectedWakesForNothing) {
  HandedApp app(100);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  const auto others = ui_record(101, source_time(0));
  auto older = ui_record(100, source_time(0));
  ++older.header.version;
  for (int i = 0; i < ZygiskSource::kMostIdleWakes; ++i) {
    (void)app.writer.write(&others, sizeof others, true);
    app.wake_service();
    drain();
    (void)app.writer.write(&older, sizeof older, true);
    app.wake_service();
    drain();
  }
  EXPECT_EQ(source_->rings(), 0U);
  EXPECT_EQ(app.answer(), kAppRingRefused);
}

TEST_F(ZygiskSourceTest, ARingThatIsNotWantedCannotWake) {
  HandedApp behind(100);
  ASSERT_EQ(hand_over(behind), kAppRingTaken);
  const std::int32_t front = 101;
  source_->watch_only({&front, 1});
  pollfd wait{source_->fd(), POLLIN, 0};
  behind.wake_service();
  EXPECT_EQ(::poll(&wait, 1, 0), 0);
  source_->watch_only({});
  drain();
  behind.frame(0);
  drain();
  EXPECT_EQ(frames_, 1U) << "wanted again, it can";
}

TEST_F(ZygiskSourceTest, WhatCannotWakeIsRefused) {
  HandedApp app(100);
  app.wake = UniqueFd{::open("/", O_RDONLY | O_CLOEXEC)};
  EXPECT_EQ(hand_over(app), kAppRingRefused);
  EXPECT_EQ(source_->rings(), 0U);
  EXPECT_EQ(source_->counters().rejected, 1U);
}

TEST_F(ZygiskSourceTest, AnAppThatReadsItsEventfdHidesItselfAndHoldsUpNobody) {
  HandedApp thief(100);
  HandedApp app(101);
  ASSERT_EQ(hand_over(thief), kAppRingTaken);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  // Blocking, and read first: whoever reads it now waits for ever.
  ASSERT_EQ(::fcntl(thief.wake.get(), F_SETFL, 0), 0);
  thief.frame(0);
  app.frame(0);
  std::uint64_t value = 0;
  ASSERT_EQ(::read(thief.wake.get(), &value, sizeof value), 8);
  drain();
  EXPECT_EQ(frames_, 1U);
}

TEST_F(ZygiskSourceTest, OnlyWatchedProcessesAreRead) {
  HandedApp front(100);
  HandedApp behind(101);
  ASSERT_EQ(hand_over(front), kAppRingTaken);
  ASSERT_EQ(hand_over(behind), kAppRingTaken);
  const std::int32_t pid = 100;
  source_->watch_only({&pid, 1});
  EXPECT_TRUE(front.writer.wanted());
  EXPECT_FALSE(behind.writer.wanted());
  source_->watch_only({});
  EXPECT_TRUE(behind.writer.wanted());
}

TEST_F(ZygiskSourceTest, AFloodLeavesRoomForOthers) {
  HandedApp flood(100);
  HandedApp app(101);
  ASSERT_EQ(hand_over(flood), kAppRingTaken);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  app.frame(0);
  std::size_t seen = 0;
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < 64; ++i) {
      flood.frame(turn * 64 + i);
    }
    FrameBatch batch;
    ASSERT_TRUE(source_->drain(batch));
    for (const FrameEvent& event : batch) {
      seen += event.kind == FrameEvent::Kind::kFrame && event.frame.pid == 101 ? 1U : 0U;
    }
  }
  EXPECT_EQ(seen, 1U);
}

TEST_F(ZygiskSourceTest, AFloodIsReadInTurns) {
  HandedApp app(100);
  ASSERT_EQ(hand_over(app), kAppRingTaken);
  for (int i = 0; i < 60; ++i) {
    app.frame(16 * i);
  }
  FrameBatch batch;
  const auto more = source_->drain(batch);
  ASSERT_TRUE(more);
  EXPECT_TRUE(*more);
  EXPECT_LE(batch.size(), batch.capacity());
  drain();
  EXPECT_EQ(source_->counters().frames, 60U);
  EXPECT_EQ(source_->counters().lost, 0U);
}

}  // namespace
}  // namespace framegov

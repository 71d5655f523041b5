// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_server.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>
#include <vector>

#include "governor/control/control_client.h"
#include "governor/control/control_protocol.h"
#include "governor/control/control_socket.h"
#include "governor/control/loop_calls.h"
#include "tests/support/control_fixture.h"

namespace framegov {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ControlServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto server = ControlServer::start(name_, phone_.feed.usage_fd(), std::move(phone_.desk));
    ASSERT_TRUE(server) << server.error().to_string();
    server_ = *std::move(server);
  }
  [[nodiscard]] ControlClient client() const {
    auto client = ControlClient::connect(name_);
    EXPECT_TRUE(client) << client.error().to_string();
    return *std::move(client);
  }
  static std::string read_line(int fd) {
    std::string line;
    for (char c = 0; ::recv(fd, &c, 1, 0) == 1 && c != '\n';) {
      line += c;
    }
    return line;
  }
  /// The answer to a status request on a connection of its own; empty when none comes. However busy
  /// the machine is: a server that waits for another client never answers.
  [[nodiscard]] std::string status_patiently() const {
    const auto fd = connect_to(name_);
    if (!fd) {
      return "";
    }
    constexpr timeval kPatience{60, 0};
    ::setsockopt(fd->get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    constexpr std::string_view kRequest = "{\"cmd\":\"status\"}\n";
    (void)!::send(fd->get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
    return read_line(fd->get());
  }
  static bool closed(int fd) {
    char c = 0;
    ssize_t got = 1;
    while (got > 0) {
      got = ::recv(fd, &c, 1, 0);
    }
    return true;
  }

  std::string name_ = "framegov-test-" + std::to_string(::getpid());
  test::ControlFixture phone_;
  std::unique_ptr<ControlServer> server_;
};

TEST_F(ControlServerTest, AnswersAndStreams) {
  phone_.make_frame(4ms);
  ControlClient one = client();
  ControlClient two = client();
  EXPECT_EQ((*one.ask({{"cmd", "status"}}))["totals"]["frames"], 1);
  ASSERT_TRUE(two.ask({{"cmd", "watch"}, {"hz", 20}}));
  for (int i = 0; i < 3; ++i) {
    const auto event = two.next_event(5s);
    ASSERT_TRUE(event && *event);
    EXPECT_TRUE((*event)->contains("clusters"));
  }
  EXPECT_TRUE(two.ask({{"cmd", "hello"}}));  // while the stream goes on
  const auto refused = one.ask({{"cmd", "mode"}, {"set", "fast"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ExitCode::kUnsupported);
}

TEST_F(ControlServerTest, TheNameMayHaveItsAt) {
  EXPECT_TRUE(connect_to("@" + name_));
  const auto nobody = connect_to("@framegov-test-nobody");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(nobody.error().message, HasSubstr("on @framegov-test-nobody)"));
  const auto taken = listen_on("@" + name_);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().message, HasSubstr("control socket @" + name_));
}

TEST_F(ControlServerTest, ALineThatIsTooLongEndsTheConnectionOnly) {
  const auto fd = connect_to(name_);
  ASSERT_TRUE(fd);
  const std::string line(2 * kLongestRequest, 'x');
  (void)!::send(fd->get(), line.data(), line.size(), MSG_NOSIGNAL);
  EXPECT_THAT(read_line(fd->get()), HasSubstr("longer than 4096"));
  EXPECT_TRUE(closed(fd->get()));
  EXPECT_TRUE(client().ask({{"cmd", "hello"}}));
}

TEST_F(ControlServerTest, ClientsThatDoNotReadAreNotWaitedFor) {
  std::vector<UniqueFd> deaf;
  for (int i = 0; i < 3; ++i) {
    auto fd = connect_to(name_);
    ASSERT_TRUE(fd);
    std::string requests = "{\"cmd\":\"watch\",\"hz\":20}\n";
    for (int n = 0; n < 2000; ++n) {
      requests += "{\"cmd\":\"status\"}\n";
    }
    // As much as the socket takes: it is full when the server stops reading.
    (void)!::send(fd->get(), requests.data(), requests.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    deaf.push_back(*std::move(fd));
  }
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(status_patiently(), HasSubstr("\"ok\":true"));
  }
  // One that reads again gets every answer that it asked for, whole.
  const std::string first = read_line(deaf[0].get());
  EXPECT_TRUE(Json::accept(first)) << first;
}

TEST_F(ControlServerTest, ClientsAreBounded) {
  std::vector<ControlClient> clients;
  for (std::size_t i = 0; i < kMostClients; ++i) {
    clients.push_back(client());
    ASSERT_TRUE(clients.back().ask({{"cmd", "hello"}}));
  }
  const auto fd = connect_to(name_);
  ASSERT_TRUE(fd);
  EXPECT_THAT(read_line(fd->get()), HasSubstr("connected already"));
  clients.pop_back();
  bool room = false;
  for (int i = 0; i < 100 && !room; ++i) {
    std::this_thread::sleep_for(10ms);
    room = client().ask({{"cmd", "hello"}}).has_value();
  }
  EXPECT_TRUE(room);
}

TEST_F(ControlServerTest, ANameIsTakenOnce) {
  test::ControlFixture other;
  const auto second = ControlServer::start(name_, other.feed.usage_fd(), std::move(other.desk));
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("in use"));
}

TEST_F(ControlServerTest, UsageIsStoredAtTheEnd) {
  phone_.open_app("com.a");
  phone_.make_frame(4ms);
  phone_.stop_frames();
  server_.reset();
  const auto history = UsageHistory::load(*StateDir::open(phone_.folder.path() / "state"));
  ASSERT_EQ(history.days().size(), 1U);
  EXPECT_EQ(history.days().begin()->second.frames, 1U);
}

TEST_F(ControlServerTest, UsageOfFramesThatTheServicesEndCutsShortIsStoredToo) {
  phone_.open_app("com.a");
  phone_.make_frame(4ms);
  phone_.feed.on_end();
  server_.reset();
  const auto history = UsageHistory::load(*StateDir::open(phone_.folder.path() / "state"));
  ASSERT_EQ(history.days().size(), 1U);
  EXPECT_EQ(history.days().begin()->second.frames, 1U);
}

TEST(ControlSocket, OnlyRootTheShellAndTheServiceItselfMayAsk) {
  EXPECT_TRUE(may_control(0, 0));
  EXPECT_TRUE(may_control(2000, 0));
  EXPECT_TRUE(may_control(1234, 1234));
  EXPECT_FALSE(may_control(1000, 0));
  EXPECT_FALSE(may_control(10123, 0));
  EXPECT_FALSE(may_control(65534, 0));
}

TEST(ControlSocket, WithoutAServiceThereIsOneErrorWithTheNextStep) {
  const auto none = ControlClient::connect("framegov-test-nobody");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("framegovd is not running"));
  EXPECT_THAT(none.error().hint, HasSubstr("framegov doctor"));
  EXPECT_FALSE(ControlClient::connect(""));
  EXPECT_FALSE(ControlClient::connect(std::string(200, 'x')));
}

TEST(ControlSocket, AnotherUsersProcessIsRefused) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become somebody else";
  }
  const std::string name = "framegov-test-users-" + std::to_string(::getpid());
  test::ControlFixture phone;
  auto server = ControlServer::start(name, phone.feed.usage_fd(), std::move(phone.desk));
  ASSERT_TRUE(server);
  for (const auto& [user, allowed] : {std::pair{2000U, true}, std::pair{10123U, false}}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      (void)!::setuid(user);
      auto client = ControlClient::connect(name);
      const char answered = client && client->ask({{"cmd", "hello"}}) ? 'y' : 'n';
      (void)!::write(ends[1], &answered, 1);
      ::_exit(0);
    }
    char answered = 0;
    ASSERT_EQ(::read(ends[0], &answered, 1), 1);
    EXPECT_EQ(answered == 'y', allowed) << user;
    ::close(ends[0]);
    ::close(ends[1]);
  }
}

TEST(LoopCalls, AreMadeByTheLoopAndAnswered) {
  LoopCalls calls;
  calls.run();  // nothing waits
  std::thread::id where;
  auto outcome = std::async(std::launch::async, [&] {
    return calls.make(
        [&]() -> Status {
          where = std::this_thread::get_id();
          return fail(ExitCode::kBadInput, "no");
        },
        5s);
  });
  while (outcome.wait_for(1ms) != std::future_status::ready) {
    calls.run();
  }
  EXPECT_EQ(outcome.get().error().message, "no");
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(LoopCalls, ALoopThatDoesNotAnswerIsAnErrorAndNothingDangles) {
  LoopCalls calls;
  int made = 0;
  const auto count = std::make_shared<int>(0);
  const auto call = [count]() -> Status {
    ++*count;
    return {};
  };
  EXPECT_FALSE(calls.make(call, 1ms));
  EXPECT_FALSE(calls.make(call, 1ms));  // replaces the first
  calls.run();
  calls.run();
  made = *count;
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace framegov

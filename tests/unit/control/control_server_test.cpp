// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>
#include <vector>

#include "governor/control/control_client.h"
#include "governor/control/control_protocol.h"
#include "governor/control/control_socket.h"
#include "tests/support/control_fixture.h"

namespace framegov {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ControlServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto listeners = ControlListeners::open(name_, file_);
    ASSERT_TRUE(listeners) << listeners.error().to_string();
    auto server =
        ControlServer::start(*std::move(listeners), phone_.feed.usage_fd(), std::move(phone_.desk));
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
  std::string file_ = phone_.folder.path() / kControlFile;
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
}

TEST_F(ControlServerTest, ItsFileIsASecondWayForItsUserOnly) {
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & (S_IRWXG | S_IRWXO), 0U);
  auto by_file = ControlClient::connect(file_);
  ASSERT_TRUE(by_file) << by_file.error().to_string();
  const auto told = by_file->ask({{"cmd", "status"}});
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)["socket_file"], file_);
  EXPECT_FALSE(told->contains("socket_name_taken"));
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(file_));
  const auto gone = ControlClient::connect(file_);
  ASSERT_FALSE(gone);
  EXPECT_THAT(gone.error().message, HasSubstr("framegovd is not running"));
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

/// Turns of the thread in a while that has nothing for it to do but `what`.
class Turns {
 public:
  explicit Turns(const ControlServer& server) : server_(server), before_(server.turns()) {}
  [[nodiscard]] std::uint64_t in(std::chrono::milliseconds time) const {
    std::this_thread::sleep_for(time);
    return server_.turns() - before_;
  }

 private:
  const ControlServer& server_;
  std::uint64_t before_;
};

TEST_F(ControlServerTest, WithoutDescriptorsItWaitsAndDoesNotSpin) {
  const auto fd = make_listener();  // a socket, to connect with
  ASSERT_TRUE(fd);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  file_.copy(address.sun_path, sizeof address.sun_path - 1);
  constexpr std::string_view kRequest = "{\"cmd\":\"status\"}\n";
  {
    // Its thread runs by the time that it answers: a sanitizer needs descriptors to look at it.
    const auto first = make_listener();
    ASSERT_TRUE(first);
    ::fcntl(first->get(), F_SETFL, 0);
    ASSERT_EQ(::connect(first->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    ASSERT_GT(::send(first->get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL), 0);
    ASSERT_THAT(read_line(first->get()), HasSubstr("\"ok\":true"));
  }
  std::vector<UniqueFd> all;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (UniqueFd more(::dup(0)); more; more = UniqueFd(::dup(0))) {
    all.push_back(std::move(more));
  }
  const Turns turns(*server_);
  const int connected =
      ::connect(fd->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const std::uint64_t turned = turns.in(500ms);
  all.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(connected, 0);
  EXPECT_LE(turned, 10U);  // one, and a second's pause; it was thousands
  // The client is taken when there is room again.
  ::fcntl(fd->get(), F_SETFL, 0);
  ASSERT_GT(::send(fd->get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL), 0);
  EXPECT_THAT(read_line(fd->get()), HasSubstr("\"ok\":true"));
}

TEST_F(ControlServerTest, AThousandConnectionsLeaveItAtRest) {
  std::vector<UniqueFd> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(*make_listener());  // non-blocking
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    file_.copy(address.sun_path, sizeof address.sun_path - 1);
    (void)!::connect(many.back().get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  std::this_thread::sleep_for(300ms);
  EXPECT_LE(Turns(*server_).in(300ms), 10U);
  many.clear();
  EXPECT_THAT(status_patiently(), HasSubstr("\"ok\":true"));
}

TEST_F(ControlServerTest, ANameThatIsTakenIsTriedAgainAndSaid) {
  test::ControlFixture phone;
  const std::string file = phone.folder.path() / kControlFile;
  auto listeners = ControlListeners::open("@" + name_, file);
  ASSERT_TRUE(listeners) << listeners.error().to_string();
  EXPECT_FALSE(listeners->has_name());
  EXPECT_THAT(listeners->problem(), HasSubstr("control socket @" + name_));
  EXPECT_THAT(listeners->problem(), HasSubstr("held by process " + std::to_string(::getpid())));
  auto second =
      ControlServer::start(*std::move(listeners), phone.feed.usage_fd(), std::move(phone.desk));
  ASSERT_TRUE(second);
  auto client = ControlClient::connect(file);
  ASSERT_TRUE(client);
  EXPECT_EQ((*client->ask({{"cmd", "status"}}))["socket_name_taken"], name_);
  server_.reset();
  bool taken = true;
  for (int i = 0; i < 600 && taken; ++i) {
    std::this_thread::sleep_for(100ms);
    taken = client->ask({{"cmd", "status"}})->contains("socket_name_taken");
  }
  EXPECT_FALSE(taken);
  EXPECT_TRUE(ControlClient::connect(name_));
}

TEST_F(ControlServerTest, WhatADeadServiceLeftIsNoObstacle) {
  const std::string file = phone_.folder.path() / "left";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto listeners = ControlListeners::open(name_ + "-other", file);
    ::_exit(listeners ? 0 : 1);  // no destructor
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(std::filesystem::exists(file));
  const auto again = ControlListeners::open(name_ + "-other", file);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->has_name());
  EXPECT_EQ(again->file(), file);
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
  auto listeners = ControlListeners::open(name, {});
  ASSERT_TRUE(listeners);
  auto server =
      ControlServer::start(*std::move(listeners), phone.feed.usage_fd(), std::move(phone.desk));
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

TEST(ControlSocket, AnAppThatAnswersInItsPlaceIsNotBelieved) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become somebody else";
  }
  const std::string name = "framegov-test-imposter-" + std::to_string(::getpid());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t app = ::fork();
  if (app == 0) {
    (void)!::setuid(10123);
    const auto listeners = ControlListeners::open(name, {});
    const char ready = listeners && listeners->has_name() ? 'y' : 'n';
    (void)!::write(ends[1], &ready, 1);
    ::pause();
  }
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  EXPECT_EQ(ready, 'y');
  const auto client = ControlClient::connect(name);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, ExitCode::kNoPermission);
  EXPECT_THAT(client.error().message, HasSubstr("held by user 10123"));
  const auto holder = holder_of(name);
  ASSERT_TRUE(holder);
  EXPECT_EQ(holder->pid, app);
  ::kill(app, SIGKILL);
  ::waitpid(app, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace framegov

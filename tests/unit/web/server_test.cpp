// SPDX-License-Identifier: Apache-2.0
#include "cli/web/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <new>
#include <thread>

#include "base/file.h"
#include "base/unique_fd.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::web {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: 127.0.0.1:";

/// A server in a process of its own, whose loop's turns and log can be seen.
class WebServer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(root() / "index.html") << "the page";
    void* const shared =
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    turns_ = new (shared) std::atomic<std::uint64_t>(0);
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    before_ = limit;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  void TearDown() override {
    ::kill(server_, SIGTERM);
    int status = 0;
    ::waitpid(server_, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ::setrlimit(RLIMIT_NOFILE, &before_);
    ::munmap(turns_, 4096);
  }

  void start(DoorLimits limits, rlim_t descriptors = 256) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    server_ = ::fork();
    if (server_ == 0) {
      const int log = ::open((root() / "log").c_str(), O_WRONLY | O_CREAT, 0600);
      ::dup2(log, STDERR_FILENO);
      const rlimit few{descriptors, descriptors};
      ::setrlimit(RLIMIT_NOFILE, &few);
      ServerSettings settings{root(), 0, "token", limits, turns_};
      const Status served = serve(
          settings, [](const auto&) { return Finished{}; },
          [&](int port) { (void)!::write(ready[1], &port, sizeof port); });
      ::_exit(served ? 0 : 1);
    }
    ::close(ready[1]);
    ASSERT_EQ(::read(ready[0], &port_, sizeof port_), static_cast<ssize_t>(sizeof port_));
    ::close(ready[0]);
  }

  [[nodiscard]] std::filesystem::path root() const { return folder_.path(); }

  [[nodiscard]] UniqueFd connect() const {
    UniqueFd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<in_port_t>(port_));
    (void)!::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address);
    return fd;
  }

  /// The answer to a request for the page, however long the server takes; empty after a minute.
  [[nodiscard]] std::string page() const {
    const UniqueFd fd = connect();
    ::fcntl(fd.get(), F_SETFL, 0);
    constexpr timeval kPatience{60, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    const std::string request = std::string(kRequest) + std::to_string(port_) + "\r\n\r\n";
    (void)!::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = ::recv(fd.get(), part.data(), part.size(), 0)) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  [[nodiscard]] std::size_t descriptors() const {
    std::error_code ignored;
    return entries_of("/proc/" + std::to_string(server_) + "/fd", ignored).size();
  }
  [[nodiscard]] std::uint64_t turns_in(std::chrono::milliseconds time) const {
    const std::uint64_t before = *turns_;
    std::this_thread::sleep_for(time);
    return *turns_ - before;
  }

  static constexpr DoorLimits kQuick{32, {0, 50'000}, 10};

  test::TemporaryFolder folder_;
  std::atomic<std::uint64_t>* turns_ = nullptr;
  rlimit before_{};
  pid_t server_ = -1;
  int port_ = 0;
};

TEST_F(WebServer, AnswersOneRequestOnAConnection) {
  start({});
  const std::string answer = page();
  EXPECT_THAT(answer, HasSubstr("200 OK"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
  EXPECT_THAT(answer, HasSubstr("the page"));
}

TEST_F(WebServer, ClientsThatSendAByteNowAndThenAreCutOff) {
  start(kQuick);
  std::vector<UniqueFd> slow;
  for (int i = 0; i < 40; ++i) {
    slow.push_back(connect());
    pollfd wait{slow.back().get(), POLLOUT, 0};
    ::poll(&wait, 1, 10000);
    (void)!::send(slow.back().get(), kRequest.data(), kRequest.size(), MSG_NOSIGNAL);
  }
  std::atomic<bool> answered = false;
  std::thread dribble([&] {
    while (!answered) {
      for (const UniqueFd& fd : slow) {
        (void)!::send(fd.get(), "1", 1, MSG_NOSIGNAL);
      }
      std::this_thread::sleep_for(5ms);
    }
  });
  const std::string answer = page();
  answered = true;
  dribble.join();
  EXPECT_THAT(answer, HasSubstr("200 OK"));
}

TEST_F(WebServer, AThousandConnectionsAreTakenFewAtATime) {
  start(kQuick);
  std::vector<UniqueFd> many;
  std::size_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(connect());
    most = std::max(most, i % 10 == 0 ? descriptors() : 0);
  }
  EXPECT_LE(most, kQuick.connections + 20);
  EXPECT_LE(turns_in(500ms), 200U);
  many.clear();
  EXPECT_THAT(page(), HasSubstr("200 OK"));
}

TEST_F(WebServer, WithoutDescriptorsItWaitsAndSaysLittle) {
  DoorLimits limits{1000, {0, 100'000}, 1000};
  start(limits, 24);
  std::vector<UniqueFd> all;
  for (int i = 0; i < 40; ++i) {
    all.push_back(connect());
  }
  std::this_thread::sleep_for(200ms);
  EXPECT_LE(turns_in(500ms), 30U);  // it was many thousands
  std::error_code ignored;
  EXPECT_LE(std::filesystem::file_size(root() / "log", ignored), 1000U);
  all.clear();
  EXPECT_THAT(page(), HasSubstr("200 OK"));
}

}  // namespace
}  // namespace framegov::web

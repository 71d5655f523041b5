// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <ctime>

#include "base/monotonic_clock.h"
#include "governor/control/control_protocol.h"
#include "governor/control/control_session.h"
#include "governor/control/control_socket.h"
#include "governor/control/line_buffer.h"

namespace framegov {

namespace {

/// Of the thread: whoever makes frames goes first.
constexpr int kNice = 10;
/// A client that has said nothing for so long, and streams nothing, makes room for a new one.
constexpr Duration kIdle = std::chrono::seconds{10};
constexpr int kAnswersPerTurn = 4;
constexpr std::string_view kRefused =
    R"({"v":1,"id":null,"ok":false,"error":{"code":4,"message":"only root and the shell may control framegovd","hint":"run this as root"}})"
    "\n";
constexpr std::string_view kTooLong =
    R"({"v":1,"id":null,"ok":false,"error":{"code":3,"message":"the request is longer than 4096 bytes","hint":""}})"
    "\n";
constexpr std::string_view kFull =
    R"({"v":1,"id":null,"ok":false,"error":{"code":1,"message":"8 clients are connected already","hint":"end one of them, or try again"}})"
    "\n";

void answer_and_leave(int fd, std::string_view line) {
  (void)!::send(fd, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void prepare_thread() {
  sigset_t all{};
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);  // signals are the loop's
  ::pthread_setname_np(::pthread_self(), "control");
  ::setpriority(PRIO_PROCESS, 0, kNice);  // on Linux: of this thread only
}

std::string today() { return day_of(std::time(nullptr)); }

}  // namespace

/// One connection.
class ControlServer::Client {
 public:
  Client(UniqueFd fd, ControlDesk& desk, Instant now)
      : fd_(std::move(fd)), lines_(kLongestRequest), session_(desk), heard_at_(now) {}

  /// It is dropped. Not for a server that ends: its loop answers no more.
  void end() { session_.end(); }

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] Instant due() const { return session_.due(); }
  [[nodiscard]] bool idle_at(Instant now) const {
    return !is_known(session_.due()) && now - heard_at_ >= kIdle;
  }

  /// False: it is to be dropped.
  [[nodiscard]] bool receive(Instant now) {
    std::array<char, kLongestRequest> part{};
    const ssize_t got = ::recv(fd_.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0) {
      return errno == EAGAIN || errno == EINTR;
    }
    heard_at_ = now;
    if (got == 0) {
      return false;
    }
    if (!lines_.add({part.data(), static_cast<std::size_t>(got)})) {
      answer_and_leave(fd_.get(), kTooLong);
      return false;
    }
    return true;
  }

  void stream(Instant now) {
    // Whoever has not read the last event is not given another.
    unread_.empty() ? session_.on_time(now, unread_) : session_.postpone(now);
  }

  /// Answers some of what was asked and sends what fits; others get their turn before the rest.
  /// False: it is to be dropped.
  [[nodiscard]] bool advance(Instant now) {
    for (int turn = 0; turn < kAnswersPerTurn && unread_.size() < kMostUnread; ++turn) {
      const auto line = lines_.take();
      if (!line) {
        break;
      }
      session_.on_line(*line, now, std::time(nullptr), unread_);
    }
    return send();
  }

  [[nodiscard]] std::uint32_t wanted_events() const {
    const bool more = !unread_.empty() || lines_.has_line();
    return (unread_.size() < kMostUnread && !lines_.has_line() ? EPOLLIN : 0U) |
           (more ? EPOLLOUT : 0U);
  }

 private:
  [[nodiscard]] bool send() {
    while (!unread_.empty()) {
      const ssize_t sent =
          ::send(fd_.get(), unread_.data(), unread_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
      }
      unread_.erase(0, static_cast<std::size_t>(sent));
    }
    return true;
  }

  UniqueFd fd_;
  LineBuffer lines_;
  std::string unread_;
  ControlSession session_;
  Instant heard_at_;
};

ControlServer::ControlServer(UniqueFd listener, int usage_fd, ControlDesk desk)
    : listener_(std::move(listener)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      usage_fd_(usage_fd),
      desk_(std::move(desk)) {}

Result<std::unique_ptr<ControlServer>> ControlServer::start(std::string_view name, int usage_fd,
                                                            ControlDesk desk) {
  auto listener = listen_on(name);
  if (!listener) {
    return tl::unexpected(listener.error());
  }
  std::unique_ptr<ControlServer> server(
      new ControlServer(*std::move(listener), usage_fd, std::move(desk)));
  if (Status watching = server->watch(); !watching) {
    return tl::unexpected(watching.error());
  }
  server->thread_ = std::thread([raw = server.get()] { raw->run(); });
  return server;
}

ControlServer::~ControlServer() {
  if (thread_.joinable()) {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    thread_.join();
    store_usage();
  }
}

bool ControlServer::add(int fd, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

Status ControlServer::watch() {
  for (const int fd : {listener_.get(), stop_.get(), usage_fd_}) {
    if (!add(fd, EPOLLIN)) {
      return fail_errno(errno, "watching the control socket");
    }
  }
  return {};
}

int ControlServer::milliseconds_to_next() const {
  Instant next;
  for (const auto& client : clients_) {
    const Instant due = client->due();
    if (is_known(due) && (!is_known(next) || due < next)) {
      next = due;
    }
  }
  if (!is_known(next)) {
    return -1;
  }
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - monotonic_now()).count();
  return static_cast<int>(std::max<std::int64_t>(wait, 0));
}

void ControlServer::run() {
  prepare_thread();
  while (true) {
    epoll_event event{};
    const int ready = ::epoll_wait(epoll_.get(), &event, 1, milliseconds_to_next());
    if (ready < 0 && errno != EINTR) {
      return;  // cannot happen; the loop goes on without a control socket
    }
    if (ready > 0) {
      if (event.data.fd == stop_.get()) {
        return;
      }
      if (event.data.fd == listener_.get()) {
        take_clients();
      } else if (event.data.fd == usage_fd_) {
        store_usage();
      } else {
        serve(event.data.fd, event.events);
      }
    }
    tell_streams();
  }
}

void ControlServer::take_clients() {
  UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    return;
  }
  const auto user = peer_user(fd.get());
  if (!user || !may_control(*user, ::geteuid())) {
    answer_and_leave(fd.get(), kRefused);
    return;
  }
  make_room();
  if (clients_.size() >= kMostClients) {
    answer_and_leave(fd.get(), kFull);
    return;
  }
  if (add(fd.get(), EPOLLIN)) {
    clients_.push_back(std::make_unique<Client>(std::move(fd), desk_, monotonic_now()));
  }
}

void ControlServer::make_room() {
  if (clients_.size() < kMostClients) {
    return;
  }
  const Instant now = monotonic_now();
  const auto idle = std::find_if(clients_.begin(), clients_.end(),
                                 [now](const auto& client) { return client->idle_at(now); });
  if (idle != clients_.end()) {
    drop(idle);
  }
}

void ControlServer::drop(std::vector<std::unique_ptr<Client>>::iterator client) {
  (*client)->end();
  clients_.erase(client);
}

void ControlServer::serve(int fd, std::uint32_t events) {
  const auto found = std::find_if(clients_.begin(), clients_.end(),
                                  [fd](const auto& client) { return client->fd() == fd; });
  if (found == clients_.end()) {
    return;
  }
  Client& client = **found;
  const Instant now = monotonic_now();
  const bool broken = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (broken || ((events & EPOLLIN) != 0 && !client.receive(now)) || !client.advance(now)) {
    drop(found);
    return;
  }
  epoll_event event{};
  event.events = client.wanted_events();
  event.data.fd = fd;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void ControlServer::tell_streams() {
  const Instant now = monotonic_now();
  for (std::size_t i = 0; i < clients_.size();) {
    const Instant due = clients_[i]->due();
    const std::size_t count = clients_.size();
    if (is_known(due) && due <= now) {
      clients_[i]->stream(now);
      serve(clients_[i]->fd(), 0);
    }
    i += clients_.size() == count ? 1U : 0U;
  }
}

void ControlServer::store_usage() {
  std::uint64_t count = 0;
  (void)!::read(usage_fd_, &count, sizeof count);
  // A history that cannot be written (a full disk) is no reason to bother the owner; it is kept in
  // memory and tried again with the next usage.
  (void)desk_.store(today());
}

}  // namespace framegov

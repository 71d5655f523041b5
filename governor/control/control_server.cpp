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
/// Without taking clients, when descriptors have run out.
constexpr Duration kPause = std::chrono::seconds{1};
/// Until a name that is another's is tried again: the first time, and in the end.
constexpr Duration kFirstTry = std::chrono::seconds{1};
constexpr Duration kLastTry = std::chrono::minutes{1};
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

ControlServer::ControlServer(ControlListeners listeners, int usage_fd, ControlDesk desk)
    : listeners_(std::move(listeners)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      stop_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      usage_fd_(usage_fd),
      desk_(std::move(desk)) {}

Result<std::unique_ptr<ControlServer>> ControlServer::start(ControlListeners listeners,
                                                            int usage_fd, ControlDesk desk) {
  std::unique_ptr<ControlServer> server(
      new ControlServer(std::move(listeners), usage_fd, std::move(desk)));
  FRAMEGOV_TRY_STATUS(server->watch());
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
  if (!add(stop_.get(), EPOLLIN) || !add(usage_fd_, EPOLLIN)) {
    return fail_errno(errno, "watching the control socket");
  }
  listen();
  if (!listeners_.has_name()) {
    take_name_pause_ = kFirstTry;
    take_name_at_ = monotonic_now() + take_name_pause_;
  }
  desk_.on_sockets(listeners_);
  return {};
}

/// Takes clients from now on. A listener that is watched already stays so.
void ControlServer::listen() {
  listen_again_at_ = Instant{};
  for (const int fd : listeners_.fds()) {
    if (fd >= 0 && !add(fd, EPOLLIN) && errno != EEXIST) {
      listen_again_at_ = monotonic_now() + kPause;
    }
  }
}

void ControlServer::on_time() {
  const Instant now = monotonic_now();
  if (is_known(listen_again_at_) && listen_again_at_ <= now) {
    listen();
  }
  if (is_known(take_name_at_) && take_name_at_ <= now) {
    take_name_pause_ = std::min(take_name_pause_ * 2, kLastTry);
    take_name_at_ = now + take_name_pause_;
    if (listeners_.take_name()) {
      take_name_at_ = Instant{};
      listen();
      desk_.on_sockets(listeners_);
    }
  }
}

int ControlServer::milliseconds_to_next() const {
  Instant next;
  const auto consider = [&next](Instant due) {
    next = is_known(due) && (!is_known(next) || due < next) ? due : next;
  };
  for (const auto& client : clients_) {
    consider(client->due());
  }
  consider(listen_again_at_);
  consider(take_name_at_);
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
    turns_.fetch_add(1, std::memory_order_relaxed);
    if (ready < 0 && errno != EINTR) {
      return;  // cannot happen; the loop goes on without a control socket
    }
    if (ready > 0) {
      const int fd = event.data.fd;
      const auto listeners = listeners_.fds();
      if (fd == stop_.get()) {
        return;
      }
      if (std::find(listeners.begin(), listeners.end(), fd) != listeners.end()) {
        take_client(fd);
      } else if (fd == usage_fd_) {
        store_usage();
      } else {
        serve(fd, event.events);
      }
    }
    on_time();
    tell_streams();
  }
}

void ControlServer::take_client(int listener) {
  UniqueFd fd(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) {
    // What gives no client now would give none at once again: no descriptors, no memory.
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener, nullptr);
      listen_again_at_ = monotonic_now() + kPause;
    }
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

// SPDX-License-Identifier: Apache-2.0
#include "cli/web/doorkeeper.h"

#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <utility>

namespace framegov::web {

namespace {

/// Descriptors are given from the lowest on, so those of connections are low.
constexpr int kHighestFd = 4096;

/// libevent gives an error's callback the server's argument and not ours.
Doorkeeper* only_one = nullptr;

int highest_fd() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kHighestFd
             ? static_cast<int>(limit.rlim_cur)
             : kHighestFd;
}

/// Its socket's number; 0 for what is no connection of `port`.
ino_t connection_at(int fd, int port) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  int listens = 0;
  socklen_t int_size = sizeof listens;
  struct stat status {};
  const bool ours = ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                    address.sin_family == AF_INET && ntohs(address.sin_port) == port &&
                    ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) == 0 &&
                    listens == 0 && ::fstat(fd, &status) == 0;
  return ours ? status.st_ino : 0;
}

}  // namespace

void Doorkeeper::FreeEvent::operator()(event* timer) const { event_free(timer); }

Doorkeeper::Doorkeeper(evhttp* server, evhttp_bound_socket* door, int port, DoorLimits limits)
    : listener_(evhttp_bound_socket_get_listener(door)),
      port_(port),
      limits_(limits),
      timer_(event_new(evconnlistener_get_base(listener_), -1, 0, on_time, this)) {
  only_one = this;
  evhttp_set_bevcb(server, on_connection, this);
  evconnlistener_set_error_cb(listener_, on_error);
}

Doorkeeper::~Doorkeeper() { only_one = nullptr; }

/// A connection has been taken and gets its buffers; null: as the server makes them itself.
bufferevent* Doorkeeper::on_connection(event_base* /*base*/, void* self) {
  static_cast<Doorkeeper*>(self)->look();
  return nullptr;
}

void Doorkeeper::on_error(evconnlistener* /*listener*/, void* /*unused*/) {
  if (only_one != nullptr) {
    only_one->close_door();
  }
}

void Doorkeeper::on_time(int /*unused*/, short /*what*/, void* self) {
  auto& door = *static_cast<Doorkeeper*>(self);
  for (auto& [number, looks] : door.looks_) {
    ++looks;
  }
  door.look();
  if (door.looks_.size() < door.limits_.connections) {
    evconnlistener_enable(door.listener_);
  }
}

/// Counts the connections, cuts off those that last too long, and forgets those that have ended.
void Doorkeeper::look() {
  std::map<ino_t, int> now;
  const int end = highest_fd();
  for (int fd = 0; fd < end; ++fd) {
    const ino_t number = connection_at(fd, port_);
    if (number == 0) {
      continue;
    }
    const auto before = looks_.find(number);
    const int looks = before == looks_.end() ? 0 : before->second;
    now[number] = looks;
    if (looks >= limits_.looks) {
      ::shutdown(fd, SHUT_RDWR);  // the server sees its end and lets it go
    }
  }
  looks_ = std::move(now);
  if (looks_.size() >= limits_.connections) {
    close_door();
  } else if (!looks_.empty()) {
    look_again_soon();
  }
}

void Doorkeeper::close_door() {
  evconnlistener_disable(listener_);
  look_again_soon();
}

void Doorkeeper::look_again_soon() {
  if (event_pending(timer_.get(), EV_TIMEOUT, nullptr) == 0) {
    event_add(timer_.get(), &limits_.look_every);
  }
}

}  // namespace framegov::web

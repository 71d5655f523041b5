// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/time.h>
#include <sys/types.h>

#include <map>
#include <memory>

struct bufferevent;
struct event;
struct event_base;
struct evconnlistener;
struct evhttp;
struct evhttp_bound_socket;

namespace framegov::web {

/// What all clients together may take. Any app can connect to a port of the phone.
struct DoorLimits {
  std::size_t connections = 32;  ///< at a time; more wait in the kernel's queue, which is bounded
  timeval look_every{1, 0};      ///< and at nothing while there are no connections
  int looks = 10;                ///< that a connection may last
};

/// Keeps a server's connections few and short. A connection is one request; one that is not
/// through after some looks, however often it sends a byte, is cut off. The time in which a command
/// runs does not count. While there are too many, or no descriptors, none is taken until the next
/// look: the loop sleeps meanwhile.
///
/// It goes by the descriptors of this process, so that it holds none of the server's objects and
/// needs no descriptor itself. One at a time in a process.
class Doorkeeper {
 public:
  Doorkeeper(evhttp* server, evhttp_bound_socket* door, int port, DoorLimits limits);
  ~Doorkeeper();
  Doorkeeper(const Doorkeeper&) = delete;
  Doorkeeper& operator=(const Doorkeeper&) = delete;

 private:
  static bufferevent* on_connection(event_base* base, void* self);
  static void on_error(evconnlistener* listener, void* unused);
  static void on_time(int unused, short what, void* self);
  void look();
  void close_door();
  void look_again_soon();

  evconnlistener* listener_;
  int port_;
  DoorLimits limits_;
  struct FreeEvent {
    void operator()(event* timer) const;
  };
  std::unique_ptr<event, FreeEvent> timer_;
  std::map<ino_t, int> looks_;  ///< of each connection, by its socket's number
};

}  // namespace framegov::web

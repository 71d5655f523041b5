// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "governor/control/control_desk.h"
#include "governor/control/control_listeners.h"

namespace framegov {

/// The control socket's thread: takes clients, hands their lines to sessions, sends the answers.
///
/// It only reads what the loop publishes (ControlFeed, LogLines), so nothing that a client does or
/// leaves undone can hold the loop up. It sleeps while nobody asks; it stores the usage history
/// when the feed says so and at the end.
class ControlServer {
 public:
  /// Starts the thread. `usage_fd` is the feed's. A name that is taken is tried again now and then,
  /// and no client is taken for a while when descriptors run out. Error: the kernel gives none.
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> start(ControlListeners listeners,
                                                                    int usage_fd, ControlDesk desk);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  /// Ends the thread and stores what is to be stored.
  ~ControlServer();

  /// How often the thread has woken, for tests.
  [[nodiscard]] std::uint64_t turns() const { return turns_.load(std::memory_order_relaxed); }

 private:
  class Client;

  ControlServer(ControlListeners listeners, int usage_fd, ControlDesk desk);

  [[nodiscard]] Status watch();
  void run();
  void listen();
  void on_time();
  void take_client(int listener);
  void serve(int fd, std::uint32_t events);
  void tell_streams();
  [[nodiscard]] int milliseconds_to_next() const;
  void make_room();
  void drop(std::vector<std::unique_ptr<Client>>::iterator client);
  void store_usage();
  [[nodiscard]] bool add(int fd, std::uint32_t events) const;

  ControlListeners listeners_;
  UniqueFd epoll_;
  UniqueFd stop_;
  int usage_fd_;
  ControlDesk desk_;
  std::vector<std::unique_ptr<Client>> clients_;
  Instant listen_again_at_;  ///< known: no client is taken until then
  Instant take_name_at_;     ///< known: the name is another's
  Duration take_name_pause_{};
  std::atomic<std::uint64_t> turns_{0};
  std::thread thread_;
};

}  // namespace framegov

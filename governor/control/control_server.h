// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "governor/control/control_desk.h"

namespace framegov {

/// The control socket's thread: takes clients, hands their lines to sessions, sends the answers.
///
/// It only reads what the loop publishes (ControlFeed, LogLines), so nothing that a client does or
/// leaves undone can hold the loop up. It sleeps while nobody asks; it stores the usage history
/// when the feed says so and at the end.
class ControlServer {
 public:
  /// Listens on the abstract socket `name` and starts the thread. `usage_fd` is the feed's. Error:
  /// the name is taken, or the kernel gives no descriptor.
  [[nodiscard]] static Result<std::unique_ptr<ControlServer>> start(std::string_view name,
                                                                    int usage_fd, ControlDesk desk);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  /// Ends the thread and stores what is to be stored.
  ~ControlServer();

 private:
  class Client;

  ControlServer(UniqueFd listener, int usage_fd, ControlDesk desk);

  [[nodiscard]] Status watch();
  void run();
  void take_clients();
  void serve(int fd, std::uint32_t events);
  void tell_streams();
  [[nodiscard]] int milliseconds_to_next() const;
  void make_room();
  void drop(std::vector<std::unique_ptr<Client>>::iterator client);
  void store_usage();
  [[nodiscard]] bool add(int fd, std::uint32_t events) const;

  UniqueFd listener_;
  UniqueFd epoll_;
  UniqueFd stop_;
  int usage_fd_;
  ControlDesk desk_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::thread thread_;
};

}  // namespace framegov

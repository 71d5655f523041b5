// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "init/zygisk/c_library.h"
#include "probes/sources/app_ring.h"

namespace framegov::zygisk {

/// A descriptor that is closed with it; -1: none.
class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) : fd_(fd) {}
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool valid() const { return fd_ >= 0; }
  [[nodiscard]] int release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }
  void reset(int fd = -1) {
    if (fd_ >= 0) {
      close(fd_);
    }
    fd_ = fd;
  }

 private:
  int fd_;
};

/// A ring as it travels: what is said of it, its memory and its eventfd.
struct RingPapers {
  AppRingHello hello{};
  OwnedFd memory;
  OwnedFd wake;
};

/// With the descriptors that there are: both or none. False: the other side has gone.
[[nodiscard]] bool send_papers(int socket, RingPapers& papers);
/// False: nothing came, or not the whole of it.
[[nodiscard]] bool receive_papers(int socket, RingPapers& papers);

/// An AppRingAnswer; -1 where none comes within `patience_ms`.
[[nodiscard]] int receive_answer(int socket, int patience_ms);
void send_answer(int socket, AppRingAnswer answer);

}  // namespace framegov::zygisk

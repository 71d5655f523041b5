// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/end_notice.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "base/unique_fd.h"

namespace framegov {

EndNotice::EndNotice() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
    read_.reset(ends[0]);
    write_.reset(ends[1]);
  }
}

void EndNotice::hold() {
  read_.reset();
  if (write_) {
    (void)lifted_high(std::move(write_)).release();  // for the kernel to close
  }
}

void EndNotice::listen() {
  write_.reset();
  if (read_ && (::fcntl(read_.get(), F_SETOWN, ::getpid()) != 0 ||
                ::fcntl(read_.get(), F_SETFL, O_NONBLOCK | O_ASYNC) != 0)) {
    read_.reset();
  }
}

bool EndNotice::given() {
  char nothing = 0;
  if (!read_ || ::read(read_.get(), &nothing, 1) != 0) {
    return false;
  }
  read_.reset();
  return true;
}

}  // namespace framegov

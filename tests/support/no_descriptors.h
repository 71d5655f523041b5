// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

namespace framegov::test {

/// While it lives this process can open nothing: a file, a pipe or a program's start fails with
/// EMFILE.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &usual_);
    const rlimit none{0, usual_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &usual_); }

 private:
  rlimit usual_{};
};

}  // namespace framegov::test

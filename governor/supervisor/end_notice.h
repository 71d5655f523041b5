// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/unique_fd.h"

namespace framegov {

/// Tells the supervisor that the service can write nothing more.
///
/// SIGCHLD says so, too, but late: the kernel first takes away each probe that a killed service
/// had, which lasts tenths of a second, and all that time its caps would stand. This is a pipe
/// whose end the service holds as its highest descriptor, which a dying process lets go of first
/// (see lifted_high). SIGIO tells the supervisor to look.
class EndNotice {
 public:
  /// To be called before the service's process is forked. Where there are no descriptors left
  /// nothing will be told.
  EndNotice();

  /// In the service's process: keeps the end until the process is gone.
  void hold();
  /// In the supervisor, once the other has been forked.
  void listen();

  /// Has the service let go? True once.
  [[nodiscard]] bool given();

 private:
  UniqueFd read_;
  UniqueFd write_;
};

}  // namespace framegov

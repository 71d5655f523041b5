// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// One descriptor for several, and for what a source has read but not yet handed on: fd() is
/// readable (level-triggered) while a member is, or while there is a backlog.
class WaitSet {
 public:
  [[nodiscard]] static Result<WaitSet> create();

  /// `fd` must be removed (or closed) before it goes.
  [[nodiscard]] Status add(int fd);
  /// Of one that somebody else may read or write at any time: ready() tells of each write once,
  /// and nobody needs to read it.
  [[nodiscard]] Status add_unread(int fd);
  void remove(int fd);
  void set_backlog(bool backlog);

  [[nodiscard]] int fd() const { return epoll_.get(); }

  /// Members that have something, put into `room`; as many as there is room for.
  [[nodiscard]] std::span<int> ready(std::span<int> room) const;

 private:
  [[nodiscard]] Status add(int fd, unsigned events);

  UniqueFd epoll_;
  UniqueFd event_;
  bool backlog_ = false;
};

}  // namespace framegov

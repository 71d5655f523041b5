// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_listeners.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "governor/control/control_socket.h"

namespace framegov {

Result<ControlListeners> ControlListeners::open(std::string_view name, std::filesystem::path file) {
  ControlListeners listeners;
  listeners.name_ = std::string(plain_socket_name(name));
  FRAMEGOV_TRY(auto socket, make_listener());
  listeners.by_name_ = std::move(socket);
  if (Status named = listen_at(listeners.by_name_.get(), listeners.name_); named) {
    listeners.has_name_ = true;
  } else if (named.error().code == ExitCode::kBadInput) {
    return tl::unexpected(named.error());
  } else {
    const auto holder = holder_of(listeners.name_);
    listeners.problem_ =
        named.error().message + (holder ? " (held by process " + std::to_string(holder->pid) +
                                              " of user " + std::to_string(holder->uid) + ")"
                                        : std::string());
  }
  if (!file.empty()) {
    ::unlink(file.c_str());  // of a service that was killed: the state folder's lock is ours
    auto by_file = make_listener();
    const Status listens = by_file ? listen_at(by_file->get(), file.native())
                                   : Status(tl::unexpected(by_file.error()));
    if (listens) {
      listeners.by_file_ = *std::move(by_file);
      listeners.file_ = std::move(file);
    } else {
      listeners.problem_ += (listeners.problem_.empty() ? "" : "; ") + listens.error().message;
    }
  }
  if (!listeners.has_name_ && !listeners.by_file_) {
    return fail(ExitCode::kFailure, listeners.problem_,
                "service.control_socket in the configuration gives it another name");
  }
  return listeners;
}

ControlListeners::~ControlListeners() {
  if (by_file_) {
    ::unlink(file_.c_str());
  }
}

bool ControlListeners::take_name() {
  has_name_ = has_name_ || listen_at(by_name_.get(), name_).has_value();
  return has_name_;
}

}  // namespace framegov

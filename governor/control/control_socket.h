// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// The user of the process at the other end, as the kernel knows it. Error: it cannot be told.
[[nodiscard]] Result<uid_t> peer_user(int socket);

/// May this user talk to a service that runs as `service`? Root, Android's shell (2000) and the
/// service's own user (for services that run as somebody else, as in tests).
[[nodiscard]] bool may_control(uid_t user, uid_t service);

/// The name without the @ that abstract names are usually written with.
[[nodiscard]] std::string_view plain_socket_name(std::string_view written);

/// Listens on an abstract Unix socket, named with or without the @; non-blocking. Error: another
/// process has the name, or the name is longer than the kernel takes.
[[nodiscard]] Result<UniqueFd> listen_on(std::string_view written);

/// Connects to a service. Error: none runs, or the one that answers is neither root's nor our own:
/// anybody may take a name that nobody has.
[[nodiscard]] Result<UniqueFd> connect_to(std::string_view written);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// How the error begins that is met most: nobody listens.
inline constexpr std::string_view kNotRunning = "framegovd is not running";

/// The user of the process at the other end, as the kernel knows it. Error: it cannot be told.
[[nodiscard]] Result<uid_t> peer_user(int socket);

/// May this user talk to a service that runs as `service`? Root, Android's shell (2000) and the
/// service's own user (for services that run as somebody else, as in tests).
[[nodiscard]] bool may_control(uid_t user, uid_t service);

/// The name without the @ that abstract names are usually written with.
[[nodiscard]] std::string_view plain_socket_name(std::string_view written);

/// A socket to listen on, non-blocking.
[[nodiscard]] Result<UniqueFd> make_listener();

/// Listens on an abstract name, or, where it has a '/', on a file that only this user may use.
/// Error: another process has it, or (kBadInput) it is longer than the kernel takes. The socket can
/// be tried again.
[[nodiscard]] Status listen_at(int socket, std::string_view name);

/// Who listens on a name, as far as can be told.
[[nodiscard]] std::optional<ucred> holder_of(std::string_view name);

/// Connects to a service: by an abstract name, written with or without the @, or by its socket
/// file. The usual name that nobody answers to, or somebody else, is tried by the usual file too.
/// Error: none runs, or the one that answers is neither root's nor our own: anybody may take a name
/// that nobody has.
[[nodiscard]] Result<UniqueFd> connect_to(std::string_view written);

}  // namespace framegov

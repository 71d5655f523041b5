// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_socket.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

namespace framegov {

namespace {

constexpr uid_t kRoot = 0;
constexpr uid_t kShell = 2000;
constexpr int kBacklog = 8;

struct Address {
  sockaddr_un bytes{};
  socklen_t size{};
};

Result<Address> address_of(std::string_view name) {
  Address address;
  address.bytes.sun_family = AF_UNIX;
  // The abstract namespace: a first byte of zero, no file, gone with the process.
  if (name.empty() || name.size() + 1 > sizeof address.bytes.sun_path) {
    return fail(ExitCode::kBadInput,
                "control socket '" + std::string(name) + "': a name has 1 to 107 bytes",
                "service.control_socket in the configuration names it");
  }
  std::copy(name.begin(), name.end(), address.bytes.sun_path + 1);
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

Result<UniqueFd> make_socket(int flags) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!fd) {
    return fail_errno(errno, "making a control socket");
  }
  return fd;
}

const sockaddr* generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.bytes);
}

}  // namespace

Result<uid_t> peer_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return fail_errno(errno, "asking who is at the other end of the control socket");
  }
  return peer.uid;
}

bool may_control(uid_t user, uid_t service) {
  return user == kRoot || user == kShell || user == service;
}

std::string_view plain_socket_name(std::string_view written) {
  return written.substr(written.starts_with('@') ? 1 : 0);
}

Result<UniqueFd> listen_on(std::string_view written) {
  const std::string_view name = plain_socket_name(written);
  const auto address = address_of(name);
  if (!address) {
    return tl::unexpected(address.error());
  }
  auto fd = make_socket(SOCK_NONBLOCK);
  if (!fd) {
    return fd;
  }
  if (::bind(fd->get(), generic(*address), address->size) != 0 ||
      ::listen(fd->get(), kBacklog) != 0) {
    return fail_errno(errno, "control socket @" + std::string(name),
                      "service.control_socket in the configuration gives it another name");
  }
  return fd;
}

Result<UniqueFd> connect_to(std::string_view written) {
  const std::string_view name = plain_socket_name(written);
  const auto address = address_of(name);
  if (!address) {
    return tl::unexpected(address.error());
  }
  auto fd = make_socket(0);
  if (!fd) {
    return fd;
  }
  if (::connect(fd->get(), generic(*address), address->size) != 0) {
    const int error = errno;
    if (error == ECONNREFUSED) {
      return fail(ExitCode::kFailure,
                  "framegovd is not running (no listener on @" + std::string(name) + ")",
                  "start it as root, or run framegov doctor to see why it is not");
    }
    return fail_errno(error, "control socket @" + std::string(name), "run this as root");
  }
  const auto server = peer_user(fd->get());
  if (!server) {
    return tl::unexpected(server.error());
  }
  if (*server != kRoot && *server != ::geteuid()) {
    return fail(ExitCode::kNoPermission,
                "@" + std::string(name) + " is held by user " + std::to_string(*server) +
                    ", who is not framegovd",
                "find that process (ss -xlp) and end it, then start framegovd again");
  }
  return fd;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>

#include "governor/control/control_protocol.h"

namespace framegov {

namespace {

constexpr uid_t kRoot = 0;
constexpr uid_t kShell = 2000;
constexpr int kBacklog = 8;

struct Address {
  sockaddr_un bytes{};
  socklen_t size{};
};

bool is_file(std::string_view name) { return name.find('/') != std::string_view::npos; }

/// For people to read.
std::string shown(std::string_view name) { return (is_file(name) ? "" : "@") + std::string(name); }

Result<Address> address_of(std::string_view name) {
  Address address;
  address.bytes.sun_family = AF_UNIX;
  // The abstract namespace: a first byte of zero, no file, gone with the process. A file's name has
  // its NUL at the end.
  if (name.empty() || name.size() + 1 > sizeof address.bytes.sun_path) {
    return fail(ExitCode::kBadInput,
                "control socket '" + std::string(name) + "': a name has 1 to 107 bytes",
                "service.control_socket in the configuration names it");
  }
  std::copy(name.begin(), name.end(), address.bytes.sun_path + (is_file(name) ? 0 : 1));
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

Result<UniqueFd> connect_to_one(std::string_view name) {
  FRAMEGOV_TRY(const auto address, address_of(name));
  FRAMEGOV_TRY(auto fd, make_socket(0));
  if (::connect(fd.get(), generic(address), address.size) != 0) {
    const int error = errno;
    if (error == ECONNREFUSED || (error == ENOENT && is_file(name))) {
      return fail(ExitCode::kFailure,
                  std::string(kNotRunning) + " (no listener on " + shown(name) + ")",
                  "start it as root, or run framegov doctor to see why it is not");
    }
    return fail_errno(error, "control socket " + shown(name), "run this as root");
  }
  FRAMEGOV_TRY(const auto server, peer_user(fd.get()));
  if (server != kRoot && server != ::geteuid()) {
    return fail(
        ExitCode::kNoPermission,
        shown(name) + " is held by user " + std::to_string(server) + ", who is not framegovd",
        "end that program (ss -xlp names it), or use --socket with control.socket of the "
        "state folder");
  }
  return fd;
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

Result<UniqueFd> make_listener() { return make_socket(SOCK_NONBLOCK); }

Status listen_at(int socket, std::string_view name) {
  FRAMEGOV_TRY(const auto address, address_of(name));
  if (is_file(name)) {
    ::fchmod(socket, S_IRUSR | S_IWUSR);  // the file's mode, before there is one
  }
  if (::bind(socket, generic(address), address.size) != 0 || ::listen(socket, kBacklog) != 0) {
    return fail_errno(errno, "control socket " + shown(name),
                      "service.control_socket in the configuration gives it another name");
  }
  return {};
}

std::optional<ucred> holder_of(std::string_view name) {
  const auto address = address_of(name);
  const auto fd = make_socket(SOCK_NONBLOCK);
  ucred holder{};
  socklen_t size = sizeof holder;
  if (!address || !fd || ::connect(fd->get(), generic(*address), address->size) != 0 ||
      ::getsockopt(fd->get(), SOL_SOCKET, SO_PEERCRED, &holder, &size) != 0) {
    return std::nullopt;
  }
  return holder;
}

Result<UniqueFd> connect_to(std::string_view written) {
  const std::string_view name = plain_socket_name(written);
  auto fd = connect_to_one(name);
  if (fd || name != kDefaultControlSocket) {
    return fd;
  }
  auto by_file = connect_to_one(kDefaultControlFile);
  return by_file ? std::move(by_file) : std::move(fd);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "cli/ranks/line_socket.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json_text.h"

namespace framegov::cli {

namespace {

constexpr int kSilence = 60;  ///< s without an answer of the other machine until it counts as lost

/// A number into a socket option; what cannot be set stays as the system has it.
void set(int socket, int level, int option, int value) {
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> all;
  ::ifaddrs* found = nullptr;
  if (::getifaddrs(&found) != 0) {
    return all;
  }
  for (const ::ifaddrs* each = found; each != nullptr; each = each->ifa_next) {
    // IPv4 alone, as the listener: what clusters' own networks have.
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET ||
        (each->ifa_flags & (IFF_UP | IFF_LOOPBACK)) != IFF_UP) {
      continue;
    }
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const ::sockaddr_in*>(each->ifa_addr);
    if (::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) {
      all.emplace_back(text.data());
    }
  }
  ::freeifaddrs(found);
  return all;
}

}  // namespace

LineSocket::LineSocket(UniqueFd socket) : socket_(std::move(socket)) {
  const int fd = socket_.get();
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, kSilence / 2);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, kSilence / 6);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kSilence * 1000);
  const ::timeval patience{kSilence, 0};
  (void)::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

bool LineSocket::send(const nlohmann::json& message) {
  const std::string line = json_line(message) + '\n';
  for (std::size_t sent = 0; sent < line.size();) {
    const ssize_t size =
        ::send(socket_.get(), line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno != EINTR) {
      return false;
    }
    sent += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
  return true;
}

bool LineSocket::read_some(std::size_t most) {
  std::array<char, 1 << 16> part{};
  for (;;) {
    const ssize_t size = ::recv(socket_.get(), part.data(), part.size(), MSG_DONTWAIT);
    if (size > 0) {
      read_.append(part.data(), static_cast<std::size_t>(size));
      if (read_.size() > most) {  // the lines that it has go first
        return read_.find('\n') != std::string::npos;
      }
    } else if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
}

std::optional<nlohmann::json> LineSocket::next() {
  const std::size_t end = read_.find('\n');
  if (end == std::string::npos) {
    return std::nullopt;
  }
  nlohmann::json message = nlohmann::json::parse(
      read_.begin(), read_.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
  read_.erase(0, end + 1);
  return message;
}

std::optional<nlohmann::json> LineSocket::receive() {
  std::array<char, 1 << 12> part{};
  for (;;) {
    if (auto message = next()) {
      return message;
    }
    const ssize_t size = ::recv(socket_.get(), part.data(), part.size(), 0);
    if (size == 0 || (size < 0 && errno != EINTR)) {
      return std::nullopt;
    }
    read_.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  }
}

Result<Listener> listen_on_free_port(bool this_machine_only) {
  Listener listener;
  listener.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(this_machine_only ? INADDR_LOOPBACK : INADDR_ANY);
  ::socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<::sockaddr*>(&address);
  if (!listener.socket || ::bind(listener.socket.get(), any, size) != 0 ||
      ::listen(listener.socket.get(), SOMAXCONN) != 0 ||
      ::getsockname(listener.socket.get(), any, &size) != 0) {
    return fail_errno(errno, "listening for the other ranks", "run without mpirun");
  }
  listener.port = ntohs(address.sin_port);
  if (!this_machine_only) {
    listener.addresses = own_addresses();
  }
  return listener;
}

std::optional<LineSocket> connect_to(const std::string& address, std::uint16_t port) {
  constexpr int kPatience = 5;  // s
  ::sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket || ::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) {
    return std::nullopt;
  }
  const ::timeval patience{kPatience, 0};  // connect() keeps to it too
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(socket.get(), reinterpret_cast<const ::sockaddr*>(&to), sizeof to) != 0) {
    return std::nullopt;
  }
  return LineSocket(std::move(socket));
}

}  // namespace framegov::cli

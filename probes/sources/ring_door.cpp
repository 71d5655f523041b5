// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/ring_door.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace framegov {
namespace {

constexpr std::size_t kRingDescriptors = 2;  // the memory, the eventfd

Result<UniqueFd> make_door_socket() {
  UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return fd ? Result<UniqueFd>(std::move(fd)) : fail_errno(errno, "a socket for apps' rings");
}

/// What a message says and brings. Descriptors beyond those that a ring has are closed.
struct RingMessage {
  AppRingHello hello{};
  std::array<UniqueFd, kRingDescriptors> fds;
  bool whole = false;
  bool silent = false;  ///< nothing has been said yet
};

RingMessage receive_ring(int connection) {
  RingMessage message;
  iovec bytes{&message.hello, sizeof message.hello};
  // The kernel closes what does not fit, and says so.
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kRingDescriptors * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &bytes;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(connection, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  message.silent = got < 0 && errno == EAGAIN;
  std::size_t count = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); got >= 0 && part != nullptr;
       part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t brought = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < brought; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      UniqueFd owned(fd);
      if (count < message.fds.size()) {
        message.fds.at(count) = std::move(owned);
      }
      ++count;
    }
  }
  message.whole = got == sizeof message.hello && count == kRingDescriptors &&
                  (header.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0 &&
                  message.hello.version == kAppRingVersion && message.hello.pid > 0;
  return message;
}

}  // namespace

Result<RingDoor> RingDoor::open(const std::filesystem::path& folder, uid_t peer) {
  std::filesystem::path file = folder / kAppRingSocket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& name = file.native();
  if (name.size() >= sizeof address.sun_path) {
    return fail(ExitCode::kBadInput, name + ": a socket's name has at most 107 bytes",
                "service.state_dir with a shorter path");
  }
  std::copy(name.begin(), name.end(), address.sun_path);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  FRAMEGOV_TRY(auto probe, make_door_socket());
  // EAGAIN: somebody listens and is slow to let callers in.
  if (::connect(probe.get(), generic, sizeof address) == 0 || errno == EAGAIN) {
    return fail(ExitCode::kUnsupported, "apps hand their rings to another process already",
                "stop framegovd first");
  }
  FRAMEGOV_TRY(auto listener, make_door_socket());
  ::unlink(name.c_str());                       // of a service that was killed
  ::fchmod(listener.get(), S_IRUSR | S_IWUSR);  // the file's mode, before there is one
  if (::bind(listener.get(), generic, sizeof address) != 0 ||
      ::listen(listener.get(), static_cast<int>(kMostWaiting)) != 0) {
    return fail_errno(errno, name);
  }
  return RingDoor(std::move(file), std::move(listener), peer);
}

RingDoor::~RingDoor() {
  if (listener_) {
    ::unlink(file_.c_str());
  }
}

int RingDoor::let_in() {
  UniqueFd caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!caller || ::getsockopt(caller.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != peer_) {
    return -1;
  }
  if (waiting_.size() == kMostWaiting) {
    waiting_.erase(waiting_.begin());
  }
  waiting_.push_back(std::move(caller));
  return waiting_.back().get();
}

std::optional<HandedRing> RingDoor::take(int fd) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [fd](const UniqueFd& each) { return each.get() == fd; });
  if (found == waiting_.end()) {
    return std::nullopt;
  }
  RingMessage message = receive_ring(fd);
  if (message.silent) {
    return std::nullopt;
  }
  UniqueFd caller = std::move(*found);
  waiting_.erase(found);
  if (!message.whole) {
    answer(caller, kAppRingRefused);
    return std::nullopt;
  }
  const char* const process = message.hello.process;
  return HandedRing{message.hello.pid,
                    message.hello.uid,
                    std::string(process, ::strnlen(process, sizeof message.hello.process)),
                    std::move(message.fds[0]),
                    std::move(message.fds[1]),
                    std::move(caller)};
}

void answer(const UniqueFd& connection, AppRingAnswer word) {
  // Who does not take it has gone.
  (void)::send(connection.get(), &word, sizeof word, MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/errand_message.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace framegov {

namespace {

/// Room for the descriptors of a message, aligned as the kernel wants it.
union FdRoom {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int) * kErrandFds)];
};

}  // namespace

int send_message(int socket, const void* bytes, std::size_t size, std::array<int, kErrandFds> fds) {
  std::size_t count = 0;
  for (const int fd : fds) {
    if (fd >= 0) {
      fds.at(count++) = fd;
    }
  }
  iovec part{const_cast<void*>(bytes), size};
  FdRoom room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = &room;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * count);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 ? errno : 0;
}

long receive_message(int socket, void* bytes, std::size_t size,
                     std::array<UniqueFd, kErrandFds>& fds) {
  iovec part{bytes, size};
  FdRoom room{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = &room;
  message.msg_controllen = sizeof room;
  const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0) {
    return got;
  }
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::array<int, kErrandFds> numbers{};
    std::memcpy(numbers.data(), CMSG_DATA(header), sizeof(int) * count);
    for (std::size_t i = 0; i < count; ++i) {
      fds.at(i).reset(numbers.at(i));
    }
  }
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    errno = EMSGSIZE;
    return -1;
  }
  return got;
}

std::string errand_bytes(const ErrandHead& head, const std::vector<std::string>& words,
                         const std::vector<std::string>& environment) {
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof head);
  for (const auto* const texts : {&words, &environment}) {
    for (const std::string& text : *texts) {
      bytes.append(text, 0, text.find('\0'));  // as exec would take it
      bytes += '\0';
    }
  }
  return bytes;
}

std::optional<ErrandMessage> parse_errand(std::string_view bytes) {
  ErrandMessage message;
  if (bytes.size() < sizeof message.head ||
      (bytes.size() > sizeof message.head && bytes.back() != '\0')) {
    return std::nullopt;
  }
  std::memcpy(&message.head, bytes.data(), sizeof message.head);
  bytes.remove_prefix(sizeof message.head);
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    message.texts.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
  }
  if (message.head.words > message.texts.size()) {
    return std::nullopt;
  }
  return message;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "init/zygisk/messages.h"

namespace framegov::zygisk {
namespace {

/// Two descriptors as they stand behind a message: struct cmsghdr, and the numbers.
struct Rights {
  size_t size;
  int level;
  int type;
  int fds[2];
};
static_assert(sizeof(Rights) == 24);

msghdr with_rights(iovec& bytes, Rights& rights) {
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = &rights;
  message.msg_controllen = sizeof rights;
  return message;
}

}  // namespace

bool send_papers(int socket, RingPapers& papers) {
  iovec bytes{&papers.hello, sizeof papers.hello};
  Rights rights{sizeof rights, kSocketLevel, kPassRights, {papers.memory.get(), papers.wake.get()}};
  msghdr message = with_rights(bytes, rights);
  if (!papers.memory.valid()) {
    message.msg_control = nullptr;
    message.msg_controllen = 0;
  }
  return sendmsg(socket, &message, kNoSignal) == static_cast<ssize_t>(sizeof papers.hello);
}

bool receive_papers(int socket, RingPapers& papers) {
  iovec bytes{&papers.hello, sizeof papers.hello};
  Rights rights{};
  msghdr message = with_rights(bytes, rights);
  const ssize_t got = recvmsg(socket, &message, kCloseReceivedOnExec);
  // The kernel says the size of what it has put there; one descriptor alone would stay open.
  if (rights.size > __builtin_offsetof(Rights, fds) && rights.type == kPassRights) {
    OwnedFd first(rights.fds[0]);
    if (rights.size == sizeof rights) {
      papers.memory.reset(first.release());
      papers.wake.reset(rights.fds[1]);
    }
  }
  return got == static_cast<ssize_t>(sizeof papers.hello);
}

int receive_answer(int socket, int patience_ms) {
  pollfd wait{socket, kReadable, 0};
  unsigned char answer = kAppRingRefused;
  const bool came = poll(&wait, 1, patience_ms) == 1 && read(socket, &answer, sizeof answer) == 1;
  return came ? answer : -1;
}

void send_answer(int socket, AppRingAnswer answer) {
  iovec bytes{&answer, sizeof answer};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  (void)sendmsg(socket, &message, kNoSignal);
}

}  // namespace framegov::zygisk

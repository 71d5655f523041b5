// SPDX-License-Identifier: Apache-2.0
// What Zygisk calls in a root process for each process that asks it something. Each call has a
// thread of its own, and stays for as long as its app lives: it hands the ring over again when the
// service has been started anew.
#include "init/zygisk/messages.h"

namespace framegov::zygisk {
namespace {

constexpr char kStateFolder[] = FRAMEGOV_ZYGISK_STATE "/";

/// The service answers within microseconds, and an app waits for it at its start. One that is
/// starting itself takes longer.
constexpr int kAppsPatienceMs = 100;
constexpr int kPatienceMs = 10'000;
constexpr int kFirstPauseMs = 1000;
constexpr int kLongestPauseMs = 64'000;

/// Of the process at the other end, as the kernel saw it connect: struct ucred.
struct Peer {
  int pid = 0;
  __u32 uid = ~0U;
  __u32 gid = ~0U;
};

struct Path {
  char text[sizeof(sockaddr_un::sun_path)]{};

  explicit Path(const char* name) {
    static_assert(sizeof kStateFolder + sizeof kAppRingSocket <= sizeof text);
    __builtin_memcpy(text, kStateFolder, sizeof kStateFolder - 1);
    for (char* to = text + sizeof kStateFolder - 1; *name != 0;) {
      *to++ = *name++;
    }
  }
};

void leave_mark() {
  char boot[36]{};  // a UUID
  const OwnedFd from(open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  const OwnedFd to(
      open(Path(kZygiskMark).text, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (from.valid() && to.valid() &&
      read(from.get(), boot, sizeof boot) == static_cast<ssize_t>(sizeof boot)) {
    (void)!write(to.get(), boot, sizeof boot);
  }
}

int connect_to_service() {
  OwnedFd service(socket(kUnixFamily, kSeqPacket | kCloseOnExec, 0));
  sockaddr_un address{};
  address.sun_family = kUnixFamily;
  const Path path(kAppRingSocket);
  __builtin_memcpy(address.sun_path, path.text, sizeof path.text);
  return service.valid() && connect(service.get(), &address, sizeof address) == 0
             ? service.release()
             : -1;
}

bool app_ends_within(int app, int milliseconds) {
  pollfd wait{app, kReadable, 0};
  return poll(&wait, 1, milliseconds) > 0;
}

/// Until the app ends, or the service. True: the service has ended, not by its own word.
bool wait_for_service_to_end(int service, int app) {
  pollfd both[2] = {{service, kReadable, 0}, {app, kReadable, 0}};
  while (poll(both, 2, -1) < 0) {
  }
  unsigned char word = 0;
  return both[1].revents == 0 && read(service, &word, sizeof word) <= 0;
}

/// Nobody reads: the app is to write nothing.
void silence(int memory) {
  const __u32 off = kAppRingOff;
  (void)!pwrite(memory, &off, sizeof off, __builtin_offsetof(AppRing, state));
}

void serve_app(int app, RingPapers& papers) {
  int pause_ms = kFirstPauseMs;
  for (bool first = true;; first = false) {
    const OwnedFd service(connect_to_service());
    const bool asked = service.valid() && send_papers(service.get(), papers);
    const int answer =
        asked ? receive_answer(service.get(), first ? kAppsPatienceMs : kPatienceMs) : -1;
    const bool taken = answer == kAppRingTaken;
    if (first) {
      send_answer(app, taken ? kAppRingTaken : kAppRingRefused);
    }
    if (taken && !wait_for_service_to_end(service.get(), app)) {
      return;
    }
    if (!taken && (first || answer == kAppRingRefused)) {
      return;
    }
    silence(papers.memory.get());
    pause_ms = taken ? kFirstPauseMs : pause_ms;
    if (app_ends_within(app, pause_ms)) {
      return;
    }
    pause_ms = pause_ms < kLongestPauseMs ? 2 * pause_ms : pause_ms;
  }
}

}  // namespace
}  // namespace framegov::zygisk

extern "C" [[gnu::visibility("default"), gnu::used]] void zygisk_companion_entry(int client) {
  using namespace framegov::zygisk;
  RingPapers papers;
  Peer peer;
  unsigned size = sizeof peer;
  // Zygotes are root's until they have become an app: nobody else is heard.
  if (getsockopt(client, kSocketLevel, kPeerCredentials, &peer, &size) != 0 || peer.uid != 0 ||
      !receive_papers(client, papers)) {
    return;
  }
  papers.hello.pid = peer.pid;
  if (papers.memory.valid()) {
    serve_app(client, papers);
    silence(papers.memory.get());
  } else {
    leave_mark();
  }
}

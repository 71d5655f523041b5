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
/// Before Linux 5.3 nothing tells of a process's end: it is looked for this often.
constexpr int kLookMs = 2000;

/// Of the process at the other end, as the kernel saw it connect: struct ucred.
struct Peer {
  int pid = 0;
  __u32 uid = ~0U;
  __u32 gid = ~0U;
};

/// The app's process, known by more than its number, which is soon another's: whoever holds its
/// socket, a copy of it perhaps, may outlive it.
class AppProcess {
 public:
  /// The one of this number, if it began before `asked_ns` (CLOCK_BOOTTIME).
  AppProcess(int pid, __u64 asked_ns)
      : asked_ns_(asked_ns),
        folder_(open_folder(pid)),
        end_(static_cast<int>(syscall(__NR_pidfd_open, pid, 0))) {}

  /// Readable when it has ended; -1 before Linux 5.3.
  [[nodiscard]] int end() const { return end_.get(); }

  /// While it does, its number is nobody else's. The folder is this process's, whoever comes next.
  [[nodiscard]] bool lives() const {
    char text[512];  // up to the start at most 300
    const OwnedFd stat(
        static_cast<int>(syscall(__NR_openat, folder_.get(), "stat", O_RDONLY | O_CLOEXEC)));
    const ssize_t size = folder_.valid() && stat.valid() ? read(stat.get(), text, sizeof text) : 0;
    const __u64 began = start_in(text, text + (size > 0 ? size : 0));
    return began > 0 && began * kTickNs <= asked_ns_;
  }

 private:
  static constexpr __u64 kTickNs = 10'000'000;  ///< of /proc, on every kernel

  static int open_folder(int pid) {
    char path[24] = "/proc/";
    char digits[12];
    int count = 0;
    for (; pid > 0; pid /= 10) {
      digits[count++] = static_cast<char>('0' + pid % 10);
    }
    for (char* to = path + 6; count > 0;) {
      *to++ = digits[--count];
    }
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  }

  /// Field 22 of /proc/PID/stat, proc(5): ticks since the phone started; 0: there is none, or the
  /// process has ended and is not forgotten yet (field 3). The name before it may contain anything.
  static __u64 start_in(const char* text, const char* end) {
    const char* at = end > text ? end - 1 : text;
    while (at > text && *at != ')') {
      --at;
    }
    if (end - at > 2 && at[2] == 'Z') {
      return 0;
    }
    for (int field = 2; field < 22; ++field) {
      while (at < end && *at != ' ') {
        ++at;
      }
      at += at < end ? 1 : 0;
    }
    __u64 ticks = 0;
    for (; at < end && *at >= '0' && *at <= '9'; ++at) {
      ticks = 10 * ticks + static_cast<__u64>(*at - '0');
    }
    return ticks;
  }

  __u64 asked_ns_;
  OwnedFd folder_;
  OwnedFd end_;
};

struct App {
  int socket;  ///< ends with the last process that has it
  AppProcess process;
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
  // Where it has stopped to listen, neither connecting nor speaking to it takes for ever.
  const timeval patience{0, kAppsPatienceMs * 1000L};
  (void)setsockopt(service.get(), kSocketLevel, kSendTimeout, &patience, sizeof patience);
  return service.valid() && connect(service.get(), &address, sizeof address) == 0
             ? service.release()
             : -1;
}

enum class Ended { kNobody, kApp, kService };

/// Who ends first, within this time (-1: any). `service`: -1 without one.
Ended wait_for_end(const App& app, int service, int milliseconds) {
  pollfd all[] = {
      {app.socket, kReadable, 0}, {app.process.end(), kReadable, 0}, {service, kReadable, 0}};
  for (int left = milliseconds; app.process.lives();) {
    const bool looks = app.process.end() < 0 && (left < 0 || left > kLookMs);
    const int turn = looks ? kLookMs : left;
    const int found = poll(all, 3, turn);
    if (found > 0 && all[0].revents == 0 && all[1].revents == 0) {
      return Ended::kService;
    }
    if (found != 0) {
      break;
    }
    left = left < 0 ? left : left - turn;
    if (left == 0) {
      return app.process.lives() ? Ended::kNobody : Ended::kApp;
    }
  }
  return Ended::kApp;
}

/// True: the service has ended, not by its own word.
bool wait_for_service_to_end(int service, const App& app) {
  unsigned char word = 0;
  return wait_for_end(app, service, -1) == Ended::kService &&
         read(service, &word, sizeof word) <= 0;
}

/// Nobody reads: the app is to write nothing.
void silence(int memory) {
  const __u32 off = kAppRingOff;
  (void)!pwrite(memory, &off, sizeof off, __builtin_offsetof(AppRing, state));
}

void serve_app(const App& app, RingPapers& papers) {
  int pause_ms = kFirstPauseMs;
  for (bool first = true;; first = false) {
    const OwnedFd service(connect_to_service());
    const bool asked = service.valid() && send_papers(service.get(), papers);
    const int answer =
        asked ? receive_answer(service.get(), first ? kAppsPatienceMs : kPatienceMs) : -1;
    const bool taken = answer == kAppRingTaken;
    if (first) {
      send_answer(app.socket, taken ? kAppRingTaken : kAppRingRefused);
    }
    if (taken && !wait_for_service_to_end(service.get(), app)) {
      return;
    }
    if (!taken && (first || answer == kAppRingRefused)) {
      return;
    }
    silence(papers.memory.get());
    pause_ms = taken ? kFirstPauseMs : pause_ms;
    if (wait_for_end(app, -1, pause_ms) != Ended::kNobody) {
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
    const App app{client, {peer.pid, papers.hello.asked_ns}};
    if (app.process.lives()) {
      serve_app(app, papers);
    }
    silence(papers.memory.get());
  } else {
    leave_mark();
  }
}

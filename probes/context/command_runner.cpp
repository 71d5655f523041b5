// SPDX-License-Identifier: Apache-2.0
#include "probes/context/command_runner.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <span>
#include <utility>

#include "base/file.h"
#include "probes/context/child_command.h"
#include "probes/context/errand_message.h"
#include "probes/context/spawn.h"

namespace framegov {

namespace {

constexpr int kPatienceMs = 1000;
/// For its start, on a machine that is busy with others'.
constexpr int kPatienceAtStartMs = 30000;
/// The runner's first message, when it is confined; else what was wrong.
constexpr const char* kReady = "ready";
/// At a time. The service has some five.
constexpr std::size_t kMostRunning = 16;

/// This process's end of the socket; empty where it does its errands itself.
UniqueFd& runner() {
  static UniqueFd socket;
  return socket;
}

UniqueFd open_counter_here(const ThreadCounter& counter, std::int32_t tid) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = counter.type;
  attributes.config = counter.config;
  attributes.read_format = counter.read_format;
  return UniqueFd(static_cast<int>(
      ::syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC)));
}

/// 0 and the process, or an errno. A question is answered in a process of its own, which a
/// question that takes too long is killed with.
int start_question(const Errand& errand, const std::vector<std::string>& rest, int output,
                   pid_t& pid) {
  pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    const std::string text = errand.answer(rest);
    ::_exit(::write(output, text.data(), text.size()) < 0 ? 1 : 0);
  }
  if (pid < 0) {
    return errno;
  }
  ::setpgid(pid, pid);  // here too: it may be killed, by its group, before it has run
  return 0;
}

/// The other process.
class Runner {
 public:
  Runner(UniqueFd requests, Errands errands)
      : requests_(std::move(requests)), errands_(std::move(errands)) {
    sigset_t wanted{};
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGCHLD);
    deaths_.reset(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  /// Until nobody is left to ask.
  void run() {
    bool asked_for = true;
    while (asked_for) {
      std::vector<pollfd> waits{{requests_.get(), POLLIN, 0}, {deaths_.get(), POLLIN, 0}};
      for (const Running& each : running_) {
        waits.push_back({each.life.get(), POLLIN, 0});
      }
      if (::poll(waits.data(), waits.size(), -1) <= 0) {
        continue;
      }
      for (std::size_t i = 2; i < waits.size(); ++i) {
        if (waits[i].revents != 0) {
          kill(running_[i - 2]);  // nobody wants to know any more
        }
      }
      reap();
      asked_for = waits[0].revents == 0 || take_request();
    }
    std::for_each(running_.begin(), running_.end(), [this](Running& each) { kill(each); });
  }

 private:
  struct Running {
    pid_t pid{};
    UniqueFd life;
  };

  void kill(Running& each) const {
    ::kill(-each.pid, SIGKILL);
    each.life.reset();
  }

  void reap() {
    signalfd_siginfo told{};
    while (::read(deaths_.get(), &told, sizeof told) > 0) {
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      std::erase_if(running_, [pid](const Running& each) { return each.pid == pid; });
    }
  }

  /// False at the end of all requests.
  bool take_request() {
    std::vector<char> bytes(kLongestErrand);
    std::array<UniqueFd, kErrandFds> fds;
    const long size = receive_message(requests_.get(), bytes.data(), bytes.size(), fds);
    if (size <= 0) {
      return size < 0 && (errno == EAGAIN || errno == EINTR || errno == EMSGSIZE);
    }
    auto message = parse_errand({bytes.data(), static_cast<std::size_t>(size)});
    if (!message || !fds[0]) {
      return true;  // closing its life tells the other
    }
    message->fds = std::move(fds);
    UniqueFd counter;
    const std::int32_t error = message->head.kind == ErrandHead::Kind::kCounter
                                   ? count(message->head, counter)
                                   : start(*message);
    UniqueFd& life = message->fds[0];
    (void)send_message(life.get(), &error, sizeof error, {counter.get(), -1});
    if (error == 0 && !counter) {
      running_.back().life = std::move(life);
    }
    return true;
  }

  int count(const ErrandHead& head, UniqueFd& counter) const {
    const auto& known = errands_.counters;
    if (std::find(known.begin(), known.end(), head.counter) == known.end() || head.tid <= 0) {
      return EPERM;
    }
    counter = open_counter_here(head.counter, head.tid);
    return counter ? 0 : errno;
  }

  int start(const ErrandMessage& message) {
    const auto first_variable = message.texts.begin() + message.head.words;
    const std::vector<std::string> words(message.texts.begin(), first_variable);
    const std::vector<std::string> environment(first_variable, message.texts.end());
    const auto errand =
        std::find_if(errands_.commands.begin(), errands_.commands.end(), [&](const Errand& each) {
          return fits(each, words) && fits_environment(each, environment);
        });
    if (errand == errands_.commands.end()) {
      return EPERM;
    }
    if (running_.size() >= kMostRunning) {
      return EAGAIN;
    }
    Running started;
    const int output = message.fds[1].get();
    const auto rest = words.begin() + static_cast<std::ptrdiff_t>(errand->words.size());
    const int error = errand->answer
                          ? start_question(*errand, {rest, words.end()}, output, started.pid)
                          : spawn(words, environment, output, started.pid);
    if (error == 0) {
      running_.push_back(std::move(started));
    }
    return error;
  }

  static bool fits(const Errand& errand, const std::vector<std::string>& words) {
    const std::size_t fixed = errand.words.size();
    return words.size() >= fixed && words.size() <= fixed + errand.more &&
           std::equal(errand.words.begin(), errand.words.end(), words.begin());
  }

  /// LD_PRELOAD would be as good as any program.
  static bool fits_environment(const Errand& errand, const std::vector<std::string>& environment) {
    const std::vector<std::string> clean = clean_environment();
    return std::all_of(environment.begin(), environment.end(), [&](const std::string& variable) {
      return std::find(clean.begin(), clean.end(), variable) != clean.end() ||
             (errand.with_variables && variable.starts_with("FRAMEGOV_"));
    });
  }

  UniqueFd requests_;
  UniqueFd deaths_;
  Errands errands_;
  std::vector<Running> running_;
};

/// All but the standard ones and `kept`: a lock or a notice of the service's end must end with it.
void close_others(int kept) {
  std::error_code ignored;
  for (const auto& entry : entries_of("/proc/self/fd", ignored)) {
    const int fd = std::atoi(entry.filename().c_str());
    if (fd > STDERR_FILENO && fd != kept) {
      ::close(fd);
    }
  }
}

[[noreturn]] void be_runner(UniqueFd requests, Errands errands,
                            const std::function<Status()>& confine) {
  close_others(requests.get());
  // The service must not write into it, as one root process could into another of no more rights.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::prctl(PR_SET_NAME, "framegov-run", 0, 0, 0);
  sigset_t all{};
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);  // it ends with the service, not before
  const Status confined = confine();
  const std::string answer = confined ? kReady : confined.error().message;
  (void)send_message(requests.get(), answer.data(), answer.size(), {-1, -1});
  if (!confined) {
    ::_exit(static_cast<int>(confined.error().code));
  }
  Runner(std::move(requests), std::move(errands)).run();
  ::_exit(0);
}

/// False when nothing came.
bool wait_for(int fd, int milliseconds) {
  pollfd wait{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

/// Waits for the answer to what was just asked: 0 or an errno.
int take_answer(int life, std::array<UniqueFd, kErrandFds>& fds) {
  if (!wait_for(life, kPatienceMs)) {
    runner().reset();
    return ETIMEDOUT;
  }
  std::int32_t error = 0;
  return receive_message(life, &error, sizeof error, fds) == sizeof error ? error : EPIPE;
}

/// 0 and the errand's life, or an errno. `fds` gets what the answer brings.
int ask_runner(const std::string& bytes, int output, UniqueFd& life,
               std::array<UniqueFd, kErrandFds>& fds) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno;
  }
  life.reset(ends[0]);
  UniqueFd theirs{ends[1]};
  if (const int error =
          send_message(runner().get(), bytes.data(), bytes.size(), {theirs.get(), output});
      error != 0) {
    return error;
  }
  theirs.reset();
  return take_answer(life.get(), fds);
}

/// Whether there ever was one: without it a confined process can do nothing of the kind.
bool runner_started = false;

}  // namespace

Status start_command_runner(Errands errands, const std::function<Status()>& confine) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "a socket for the process that runs commands");
  }
  UniqueFd ours{ends[0]};
  UniqueFd theirs{ends[1]};
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "the process that runs commands");
  }
  if (pid == 0) {
    be_runner(std::move(theirs), std::move(errands), confine);
  }
  theirs.reset();
  std::string answer(kLongestErrand, '\0');
  std::array<UniqueFd, kErrandFds> none;
  const long size = wait_for(ours.get(), kPatienceAtStartMs)
                        ? receive_message(ours.get(), answer.data(), answer.size(), none)
                        : 0;
  answer.resize(static_cast<std::size_t>(std::max(size, 0L)));
  if (answer != kReady) {
    return fail(ExitCode::kFailure, "the process that runs commands does not start: " + answer);
  }
  runner() = std::move(ours);
  runner_started = true;
  return {};
}

bool has_command_runner() { return runner_started; }

Result<UniqueFd> start_errand(const std::vector<std::string>& words,
                              const std::vector<std::string>& environment, int output) {
  ErrandHead head;
  head.words = static_cast<std::uint32_t>(words.size());
  UniqueFd life;
  std::array<UniqueFd, kErrandFds> none;
  const int error = ask_runner(errand_bytes(head, words, environment), output, life, none);
  if (error != 0) {
    return fail_errno(error, words.front());
  }
  return life;
}

UniqueFd open_thread_counter(const ThreadCounter& counter, std::int32_t tid) {
  if (!runner_started) {
    return open_counter_here(counter, tid);
  }
  ErrandHead head;
  head.kind = ErrandHead::Kind::kCounter;
  head.counter = counter;
  head.tid = tid;
  UniqueFd life;
  std::array<UniqueFd, kErrandFds> fds;
  return ask_runner(errand_bytes(head, {}, {}), -1, life, fds) == 0 ? std::move(fds[0])
                                                                    : UniqueFd();
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/zygisk/zygisk_double.h"

#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sstream>
#include <thread>

namespace framegov::test {

namespace {

/// As a kernel that does not know the call.
void take_pidfds_away() {
  std::array<sock_filter, 4> steps{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_pidfd_open, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{steps.size(), steps.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ||
      ::syscall(__NR_pidfd_open, ::getpid(), 0) >= 0) {
    ::_exit(1);
  }
}

[[noreturn]] void serve_companions(int listener, bool has_pidfds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!has_pidfds) {
    take_pidfds_away();
  }
  void* const library = ::dlopen(FRAMEGOV_ZYGISK_MODULE, RTLD_NOW);
  void* const entry = library == nullptr ? nullptr : ::dlsym(library, "zygisk_companion_entry");
  while (entry != nullptr) {
    const int client = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) {
      break;
    }
    std::thread([client, entry] {
      reinterpret_cast<void (*)(int)>(entry)(client);
      ::close(client);
    }).detach();
  }
  ::_exit(1);
}

}  // namespace

ZygiskDaemon::ZygiskDaemon(const std::filesystem::path& folder, bool has_pidfds)
    : name_(folder / "zygiskd") {
  listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(name_.begin(), name_.end(), address.sun_path);
  if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_.get(), 16) != 0) {
    return;
  }
  process_ = ::fork();
  if (process_ == 0) {
    serve_companions(listener_.get(), has_pidfds);
  }
}

ZygiskDaemon::~ZygiskDaemon() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
}

ZygiskApp::ZygiskApp(const ZygiskDaemon& daemon, const std::vector<std::string>& arguments) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    return;
  }
  std::vector<std::string> words{FRAMEGOV_ZYGISK_APP, "--module", FRAMEGOV_ZYGISK_MODULE,
                                 "--zygiskd", daemon.name()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(pipe[1], STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(1);
  }
  ::close(pipe[1]);
  output_.reset(pipe[0]);
}

ZygiskApp::~ZygiskApp() {
  if (pid_ > 0) {
    kill();
    ::waitpid(pid_, nullptr, 0);
  }
}

bool ZygiskApp::listen() {
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(output_.get(), bytes.data(), bytes.size());
  text_.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    std::istringstream line(text_.substr(0, end));
    text_.erase(0, end + 1);
    std::string word;
    MadeFrame frame;
    line >> word;
    if (word == "frame" && line >> frame.vsync >> frame.done >> frame.ready) {
      frames_.push_back(frame);
    } else {
      word_ = word;
    }
  }
  return got > 0;
}

bool ZygiskApp::watched() {
  while (word_.empty() && listen()) {
  }
  return word_ == "watched";
}

void ZygiskApp::kill() const { ::kill(pid_, SIGKILL); }

bool ZygiskApp::ended_well() {
  while (listen()) {
  }
  int status = -1;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace framegov::test

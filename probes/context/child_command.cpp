// SPDX-License-Identifier: Apache-2.0
#include "probes/context/child_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/monotonic_clock.h"

namespace framegov {

namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  all.reserve(words.size() + 1);
  for (const std::string& word : words) {
    all.push_back(const_cast<char*>(word.c_str()));
  }
  all.push_back(nullptr);
  return all;
}

/// posix_spawn's objects, freed with it.
struct SpawnSetup {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

  SpawnSetup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    // The service keeps signals blocked and must not pass that on.
    sigset_t none{};
    sigemptyset(&none);
    sigset_t all{};
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Result<ChildCommand> ChildCommand::start(const CommandLine& command,
                                         const std::vector<std::string>& environment,
                                         Output output) {
  if (command.empty()) {
    return fail(ExitCode::kBadInput, "a command without a program");
  }
  UniqueFd ours;
  UniqueFd theirs;
  if (output == Output::kKeep) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return fail_errno(errno, "a pipe for " + command.front());
    }
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
    ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  }
  SpawnSetup setup;
  ::posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&setup.actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  if (theirs) {
    ::posix_spawn_file_actions_adddup2(&setup.actions, theirs.get(), STDOUT_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&setup.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, command.front().c_str(), &setup.actions, &setup.attributes,
                                  pointers(command).data(), pointers(environment).data());
  if (error != 0) {
    return fail_errno(error, command.front());
  }
  return ChildCommand(pid, std::move(ours));
}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      output_(std::move(other.output_)),
      text_(std::move(other.text_)) {}

ChildCommand& ChildCommand::operator=(ChildCommand&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    output_ = std::move(other.output_);
    text_ = std::move(other.text_);
  }
  return *this;
}

ChildCommand::~ChildCommand() { kill(); }

void ChildCommand::kill() {
  if (pid_ > 0 && !ended()) {
    ::kill(-pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
  }
}

bool ChildCommand::read() {
  std::array<char, 16384> bytes;
  while (text_.size() < kMostOutput) {
    const ssize_t size = ::read(output_.get(), bytes.data(), bytes.size());
    if (size > 0) {
      text_.append(bytes.data(), static_cast<std::size_t>(size));
    } else if (size < 0 && errno == EINTR) {
      continue;
    } else {
      return size == 0 || errno != EAGAIN;
    }
  }
  return true;
}

bool ChildCommand::ended() {
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) != 0) {
    pid_ = -1;
  }
  return pid_ <= 0;
}

std::vector<std::string> clean_environment() {
  return {"PATH=/system/bin:/system/xbin:/usr/bin:/bin"};
}

Status ask(std::optional<ChildCommand>& question, const CommandLine& command, int epoll) {
  auto started = ChildCommand::start(command, clean_environment(), ChildCommand::Output::kKeep);
  if (!started) {
    return tl::unexpected(started.error());
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = started->fd();
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, started->fd(), &event) != 0) {
    return fail_errno(errno, "waiting for " + command.front());
  }
  question = *std::move(started);
  return {};
}

bool may_run(const CommandLine& command) {
  return !command.empty() && ::access(command.front().c_str(), X_OK) == 0;
}

Result<std::string> run_command(const CommandLine& command, Duration timeout) {
  auto child = ChildCommand::start(command, clean_environment(), ChildCommand::Output::kKeep);
  if (!child) {
    return tl::unexpected(child.error());
  }
  const Instant end = monotonic_now() + timeout;
  while (!child->read()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - monotonic_now()).count();
    if (left <= 0) {
      return fail(ExitCode::kFailure, command.front() + " did not end within " +
                                          std::to_string(to_ms(timeout)) + " ms");
    }
    pollfd waiting{child->fd(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(left));
  }
  return child->text();
}

}  // namespace framegov

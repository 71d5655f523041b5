// SPDX-License-Identifier: Apache-2.0
#include "probes/context/child_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/monotonic_clock.h"
#include "probes/context/command_runner.h"
#include "probes/context/spawn.h"

namespace framegov {

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
  if (has_command_runner()) {
    FRAMEGOV_TRY(auto life, start_errand(command, environment, theirs.get()));
    return ChildCommand(-1, std::move(life), std::move(ours));
  }
  pid_t pid = -1;
  if (const int error = spawn(command, environment, theirs.get(), pid); error != 0) {
    return fail_errno(error, command.front());
  }
  return ChildCommand(pid, UniqueFd(), std::move(ours));
}

ChildCommand::ChildCommand(ChildCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      life_(std::move(other.life_)),
      output_(std::move(other.output_)),
      text_(std::move(other.text_)) {}

ChildCommand& ChildCommand::operator=(ChildCommand&& other) noexcept {
  if (this != &other) {
    kill();
    pid_ = std::exchange(other.pid_, -1);
    life_ = std::move(other.life_);
    output_ = std::move(other.output_);
    text_ = std::move(other.text_);
  }
  return *this;
}

ChildCommand::~ChildCommand() { kill(); }

void ChildCommand::kill() {
  life_.reset();
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
  if (char nothing = 0; life_ && ::recv(life_.get(), &nothing, 1, MSG_DONTWAIT) == 0) {
    life_.reset();
  }
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) != 0) {
    pid_ = -1;
  }
  return pid_ <= 0 && !life_;
}

std::vector<std::string> clean_environment() {
  return {"PATH=/system/bin:/system/xbin:/usr/bin:/bin"};
}

Status ask(std::optional<ChildCommand>& question, const CommandLine& command, int epoll) {
  FRAMEGOV_TRY(auto started,
               ChildCommand::start(command, clean_environment(), ChildCommand::Output::kKeep));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = started.fd();
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, started.fd(), &event) != 0) {
    return fail_errno(errno, "waiting for " + command.front());
  }
  question = std::move(started);
  return {};
}

bool may_run(const CommandLine& command) {
  return !command.empty() && ::access(command.front().c_str(), X_OK) == 0;
}

Result<std::string> run_command(const CommandLine& command, Duration timeout) {
  FRAMEGOV_TRY(auto child,
               ChildCommand::start(command, clean_environment(), ChildCommand::Output::kKeep));
  const Instant end = monotonic_now() + timeout;
  while (!child.read()) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - monotonic_now()).count();
    if (left <= 0) {
      return fail(ExitCode::kFailure, command.front() + " did not end within " +
                                          std::to_string(to_ms(timeout)) + " ms");
    }
    pollfd waiting{child.fd(), POLLIN, 0};
    ::poll(&waiting, 1, static_cast<int>(left));
  }
  return child.text();
}

}  // namespace framegov

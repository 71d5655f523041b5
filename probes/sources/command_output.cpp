// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/command_output.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace framegov {
namespace {

/// Enough for the phone's own commands.
std::string clean_path = "PATH=/system/bin:/bin:/usr/bin";  // posix_spawn wants it writable

/// posix_spawn with `output` as the standard output. 0 or an errno.
int spawn(pid_t& pid, std::vector<std::string>& words, int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // The service keeps its signals blocked; its children must be killable.
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);

  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  std::array<char*, 2> environment{clean_path.data(), nullptr};
  const int error =
      ::posix_spawn(&pid, arguments[0], &files, &attributes, arguments.data(), environment.data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

Result<CommandOutput> CommandOutput::start(const std::filesystem::path& program,
                                           const std::vector<std::string>& arguments,
                                           std::size_t limit) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno(errno, "a pipe");
  }
  const UniqueFd output(ends[1]);
  CommandOutput command;
  command.name_ = program.string();
  command.limit_ = limit;
  command.pipe_.reset(ends[0]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::vector<std::string> words{command.name_};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (const int error = spawn(command.pid_, words, output.get()); error != 0) {
    command.pid_ = -1;
    return fail_errno(error, command.name_ + " cannot be started");
  }
  return command;
}

CommandOutput::CommandOutput(CommandOutput&& other) noexcept
    : name_(std::move(other.name_)),
      pid_(std::exchange(other.pid_, -1)),
      pipe_(std::move(other.pipe_)),
      text_(std::move(other.text_)),
      limit_(other.limit_) {}

CommandOutput& CommandOutput::operator=(CommandOutput&& other) noexcept {
  if (this != &other) {
    end();
    name_ = std::move(other.name_);
    pid_ = std::exchange(other.pid_, -1);
    pipe_ = std::move(other.pipe_);
    text_ = std::move(other.text_);
    limit_ = other.limit_;
  }
  return *this;
}

CommandOutput::~CommandOutput() { end(); }

void CommandOutput::end() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

Result<bool> CommandOutput::read() {
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = ::read(pipe_.get(), part.data(), part.size());
    if (got == 0) {
      return true;
    }
    if (got < 0) {
      if (errno == EAGAIN || errno == EINTR) {
        return false;
      }
      return fail_errno(errno, "the output of " + name_);
    }
    text_.append(part.data(), static_cast<std::size_t>(got));
    if (text_.size() > limit_) {
      return fail(ExitCode::kBadInput,
                  name_ + ": more output than " + std::to_string(limit_) + " bytes");
    }
  }
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "cli/web/run_words.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/monotonic_clock.h"
#include "base/unique_fd.h"

namespace framegov::web {

namespace {

constexpr Duration kLongest = std::chrono::seconds{20};
constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

struct Pipe {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail_errno(errno, "pipe");
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

Result<pid_t> start(const std::vector<std::string>& words, int out, int err) {
  std::vector<char*> arguments;
  std::string name = "framegov";
  arguments.push_back(name.data());
  std::vector<std::string> copies = words;
  for (std::string& word : copies) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    return fail_errno(failed, "starting framegov");
  }
  return pid;
}

/// Takes what both pipes bring until they end. False: too long or too much.
bool collect(int out, int err, Finished& finished) {
  const Instant end = monotonic_now() + kLongest;
  std::array<pollfd, 2> waits{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&finished.out, &finished.err};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - monotonic_now());
    if (left.count() <= 0 ||
        ::poll(waits.data(), waits.size(), static_cast<int>(left.count())) <= 0) {
      return false;
    }
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) {
        continue;
      }
      std::array<char, 16384> bytes{};
      const ssize_t count = ::read(waits[i].fd, bytes.data(), bytes.size());
      if (count <= 0) {
        waits[i].fd = -1;
        continue;
      }
      texts[i]->append(bytes.data(), static_cast<std::size_t>(count));
      if (texts[i]->size() > kMostBytes) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Result<Finished> run_words(const std::vector<std::string>& words) {
  auto out = make_pipe();
  auto err = make_pipe();
  if (!out || !err) {
    return tl::unexpected(out ? err.error() : out.error());
  }
  FRAMEGOV_TRY(const auto pid, start(words, out->theirs.get(), err->theirs.get()));
  out->theirs.reset();
  err->theirs.reset();
  Finished finished;
  const bool ended = collect(out->ours.get(), err->ours.get(), finished);
  if (!ended) {
    ::kill(pid, SIGKILL);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  finished.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  if (!ended) {
    finished.err += "framegov: took too long\n";
  }
  return finished;
}

}  // namespace framegov::web

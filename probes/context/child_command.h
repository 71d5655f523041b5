// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace framegov {

/// A program and its arguments; the program by its absolute path. No shell looks at it.
using CommandLine = std::vector<std::string>;

/// A program started with the given environment and no other, standard input from /dev/null and
/// every descriptor of ours closed to it. Killed when the object goes. Where there is a command
/// runner it is that process that starts it. Used from one thread.
class ChildCommand {
 public:
  static constexpr std::size_t kMostOutput = std::size_t{4} << 20U;

  enum class Output { kKeep, kDiscard };

  /// Error: the program cannot be started.
  [[nodiscard]] static Result<ChildCommand> start(const CommandLine& command,
                                                  const std::vector<std::string>& environment,
                                                  Output output);
  ChildCommand(ChildCommand&& other) noexcept;
  ChildCommand& operator=(ChildCommand&& other) noexcept;
  ~ChildCommand();

  /// Readable while output or its end waits; -1 with kDiscard.
  [[nodiscard]] int fd() const { return output_.get(); }

  /// Takes what waits. True when the output has ended; beyond kMostOutput it counts as ended.
  [[nodiscard]] bool read();
  [[nodiscard]] const std::string& text() const { return text_; }

  /// True when the program has ended (and is reaped).
  [[nodiscard]] bool ended();

 private:
  ChildCommand(pid_t pid, UniqueFd life, UniqueFd output)
      : pid_(pid), life_(std::move(life)), output_(std::move(output)) {}
  void kill();

  pid_t pid_ = -1;  ///< of one that this process has started
  UniqueFd life_;   ///< of one that the command runner has
  UniqueFd output_;
  std::string text_;
};

/// The environment of commands that need none of ours: a PATH.
[[nodiscard]] std::vector<std::string> clean_environment();

/// Starts a command whose output answers `question` some time: `epoll` then has its descriptor
/// readable. Error: the command cannot be started or waited for; `question` stays as it is.
[[nodiscard]] Status ask(std::optional<ChildCommand>& question, const CommandLine& command,
                         int epoll);

/// False where there is no such program or it must not be run: trying again would be of no use.
[[nodiscard]] bool may_run(const CommandLine& command);

/// Runs a command to its end and returns what it wrote to standard output. Blocks: not for the
/// loop. Error: it cannot be started, or does not end within `timeout`.
[[nodiscard]] Result<std::string> run_command(const CommandLine& command, Duration timeout);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace framegov {

/// What a confined process has done for it by the one that it forked before: a command of these
/// words and at most `more` others after them, or, without a program, a question about the system.
struct Errand {
  std::vector<std::string> words;
  std::size_t more = 0;
  /// Of a question: its output, from the words after `words`. Runs in a process of its own.
  std::function<std::string(const std::vector<std::string>& rest)> answer = {};
  bool with_variables = false;  ///< FRAMEGOV_... in the environment
};

/// A counter of perf_event_open that may be had of any thread.
struct ThreadCounter {
  std::uint32_t type{};
  std::uint64_t config{};
  std::uint64_t read_format{};
  bool operator==(const ThreadCounter&) const = default;
};

struct Errands {
  std::vector<Errand> commands;
  std::vector<ThreadCounter> counters;
};

/// Forks a process that does these errands and no others, and from now on has it do what this one
/// starts (ChildCommand) and counts (open_thread_counter). So this one can give up executing,
/// forking and the rights that counting takes. To be called while there is one thread.
///
/// The other holds no descriptor of ours, runs `confine` before its first errand, and ends, with
/// all that it runs, when this process does. Error: no process or no socket; `confine`'s are the
/// other's end.
[[nodiscard]] Status start_command_runner(Errands errands, const std::function<Status()>& confine);

[[nodiscard]] bool has_command_runner();

/// Starts one; `output` may be -1. What is returned becomes readable, at its end, when the command
/// has ended; closing it kills the command. Error: not an errand, or it cannot be started. A runner
/// that is silent for a second is given up, and everything after that is an error.
[[nodiscard]] Result<UniqueFd> start_errand(const std::vector<std::string>& words,
                                            const std::vector<std::string>& environment,
                                            int output);

/// Counts what a thread does, without samples and on any CPU; by the runner where there is one.
/// Empty when the kernel gives none, or it is none of the runner's.
[[nodiscard]] UniqueFd open_thread_counter(const ThreadCounter& counter, std::int32_t tid);

}  // namespace framegov

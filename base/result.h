// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace framegov {

/// Exit codes of both programs, documented in docs/operations.md.
enum class ExitCode : int {
  kOk = 0,
  kFailure = 1,       ///< something went wrong while running
  kUsage = 2,         ///< the command line is wrong
  kBadInput = 3,      ///< a file or library is malformed or not usable
  kNoPermission = 4,  ///< root (or a capability) is needed
  kUnsupported = 5,   ///< the kernel or the phone lacks what is needed
};

/// An expected failure: what, where, and what to do next, in words a person can act on.
struct Error {
  ExitCode code = ExitCode::kFailure;
  std::string message;  ///< one line: the thing and what is wrong with it
  std::string hint;     ///< what to do next; may be empty

  /// "message (hint)" on one line.
  [[nodiscard]] std::string to_string() const {
    return hint.empty() ? message : message + " (" + hint + ")";
  }
};

template <class T>
using Result = tl::expected<T, Error>;

using Status = Result<void>;

/// What both texts quote may come from any file or app: they are made printable() here, once for
/// all who fail.
[[nodiscard]] tl::unexpected<Error> fail(ExitCode code, std::string message, std::string hint = {});

/// "what: strerror(error_number)", with the exit code that fits the errno.
[[nodiscard]] tl::unexpected<Error> fail_errno(int error_number, std::string what,
                                               std::string hint = {});

/// The same for what the owner named: that it is not there is bad input.
[[nodiscard]] tl::unexpected<Error> fail_input(int error_number, std::string what,
                                               std::string hint = {});

}  // namespace framegov

/// Declares what a Result holds, or returns its error from the function around it:
///
///   Result<Phone> open_phone(const fs::path& root) {
///     FRAMEGOV_TRY(auto tree, CpufreqTree::open(root));          // tree is a CpufreqTree
///     FRAMEGOV_TRY(const auto reading, read_topology(tree));
///     FRAMEGOV_TRY_STATUS(check_trusted(root));                  // nothing to keep
///     return Phone{std::move(tree), reading.topology};
///   }
///
/// These are statements, so a line of its own each; the value is moved out of the Result.
// NOLINTBEGIN(bugprone-macro-parentheses): a declaration cannot stand in parentheses
#define FRAMEGOV_TRY(declaration, ...)                                   \
  FRAMEGOV_TRY_AS(FRAMEGOV_NAME_OF_LINE(tried_, __LINE__), __VA_ARGS__); \
  declaration = *std::move(FRAMEGOV_NAME_OF_LINE(tried_, __LINE__))
// NOLINTEND(bugprone-macro-parentheses)

#define FRAMEGOV_TRY_STATUS(...) \
  FRAMEGOV_TRY_AS(FRAMEGOV_NAME_OF_LINE(tried_, __LINE__), __VA_ARGS__)

#define FRAMEGOV_TRY_AS(tried, ...) \
  auto tried = (__VA_ARGS__);       \
  if (!tried) return tl::unexpected(std::move(tried).error())

#define FRAMEGOV_NAME_OF_LINE(name, line) FRAMEGOV_JOIN(name, line)
#define FRAMEGOV_JOIN(a, b) a##b

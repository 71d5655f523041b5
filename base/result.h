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

[[nodiscard]] inline tl::unexpected<Error> fail(ExitCode code, std::string message,
                                                std::string hint = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(hint)});
}

/// "what: strerror(error_number)", with the exit code that fits the errno.
[[nodiscard]] tl::unexpected<Error> fail_errno(int error_number, std::string what,
                                               std::string hint = {});

/// The same for what the owner named: that it is not there is bad input.
[[nodiscard]] tl::unexpected<Error> fail_input(int error_number, std::string what,
                                               std::string hint = {});

}  // namespace framegov

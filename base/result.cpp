// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace framegov {

namespace {

ExitCode exit_code_for(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return ExitCode::kNoPermission;
    case ENOSYS:
    case EOPNOTSUPP:
      return ExitCode::kUnsupported;
    default:
      return ExitCode::kFailure;
  }
}

}  // namespace

tl::unexpected<Error> fail(ExitCode code, std::string message, std::string hint) {
  return tl::unexpected<Error>(
      Error{code, printable(std::move(message)), printable(std::move(hint))});
}

tl::unexpected<Error> fail_errno(int error_number, std::string what, std::string hint) {
  return fail(exit_code_for(error_number),
              std::move(what) + ": " + std::generic_category().message(error_number),
              std::move(hint));
}

tl::unexpected<Error> fail_input(int error_number, std::string what, std::string hint) {
  auto failed = fail_errno(error_number, std::move(what), std::move(hint));
  if (failed.value().code == ExitCode::kFailure) {
    failed.value().code = ExitCode::kBadInput;
  }
  return failed;
}

}  // namespace framegov

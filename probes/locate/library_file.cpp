// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/library_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {

namespace {

constexpr std::size_t kMaxLibrary = std::size_t{64} << 20U;

tl::unexpected<Error> unreadable(int error_number) {
  auto error = fail_errno(error_number, "cannot be read");
  if (error.value().code != ExitCode::kNoPermission) {
    error.value().code = ExitCode::kBadInput;
  }
  return error;
}

}  // namespace

Result<std::vector<std::byte>> read_library(const std::filesystem::path& path) {
  const UniqueFd fd = open_file(path, O_RDONLY);
  if (!fd && (errno == EINVAL || errno == EISDIR)) {
    return fail(ExitCode::kBadInput, "not a regular file");
  }
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return unreadable(errno);
  }
  if (status.st_size <= 0) {
    return fail(ExitCode::kBadInput, "the file is empty");
  }
  if (static_cast<std::size_t>(status.st_size) > kMaxLibrary) {
    return fail(ExitCode::kBadInput, "larger than 64 MiB: not a library of a phone");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(fd.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return unreadable(errno);
    }
    if (count == 0) {
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace framegov

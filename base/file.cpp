// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace framegov {

UniqueFd only_file(UniqueFd opened) {
  struct stat status {};
  if (!opened || (::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode))) {
    return opened;
  }
  opened.reset();
  errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
  return {};
}

UniqueFd open_file(const std::filesystem::path& path, int flags, mode_t mode) {
  return open_file_at(AT_FDCWD, path.c_str(), flags, mode);
}

UniqueFd open_file_at(int folder, const char* path, int flags, mode_t mode) {
  return only_file(UniqueFd{::openat(folder, path, flags | O_NONBLOCK | O_CLOEXEC, mode)});
}

tl::unexpected<Error> fail_open(int error, const std::filesystem::path& path, std::string hint) {
  // Pipes and sockets answer an open for writing with ENXIO.
  if (error == EINVAL || error == ENXIO) {
    return fail(ExitCode::kBadInput, path.string() + " is not a regular file", std::move(hint));
  }
  if (error == ELOOP) {
    return fail(ExitCode::kBadInput,
                path.string() + " is a symbolic link, which is not followed here",
                "name the file itself");
  }
  return fail_input(error, path.string(), std::move(hint));
}

std::string read_node(const std::filesystem::path& path) {
  constexpr std::size_t kMost = 1U << 20U;
  return read_file(path, {}, kMost).value_or("");
}

std::string first_line(const std::filesystem::path& path) {
  const std::string text = read_node(path);
  return text.substr(0, text.find('\n'));
}

Result<std::string> read_file(const std::filesystem::path& path, std::string hint,
                              std::size_t most) {
  const UniqueFd file = open_file(path, O_RDONLY);
  if (!file) {
    return fail_open(errno, path, std::move(hint));
  }
  std::string text;
  std::array<char, 16384> part;
  ssize_t got = 1;
  while (got > 0) {
    do {
      got = ::read(file.get(), part.data(), part.size());
    } while (got < 0 && errno == EINTR);
    text.append(part.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (text.size() > most) {
      return fail(ExitCode::kBadInput,
                  path.string() + ": larger than " + std::to_string(most >> 20U) + " MiB",
                  std::move(hint));
    }
  }
  if (got < 0) {
    return fail_input(errno, path.string(), std::move(hint));
  }
  return text;
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error) {
  std::vector<std::filesystem::path> entries;
  // The range's own step would throw.
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    entries.push_back(at->path());
  }
  return entries;
}

}  // namespace framegov

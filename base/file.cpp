// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/unique_fd.h"

namespace framegov {

Result<std::string> read_file(const std::filesystem::path& path, std::string hint,
                              std::size_t most) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16384> part;
  ssize_t got = file ? 1 : -1;
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

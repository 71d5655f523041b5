// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/content_hash.h"

#include <sys/types.h>

#include <sha2.h>  // relies on sys/types.h
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "base/file.h"

namespace framegov::sim {

namespace {

using Digits = std::array<char, SHA256_DIGEST_STRING_LENGTH>;

std::string text_of(const Digits& digits) { return {digits.data(), digits.size() - 1}; }

constexpr const char* kReadAgain = "an input that is read may not go away meanwhile";

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  const UniqueFd file = open_file(path, O_RDONLY);
  if (!file) {
    return fail_open(errno, path, kReadAgain);
  }
  SHA2_CTX context;
  SHA256Init(&context);
  std::vector<std::uint8_t> part(std::size_t{1} << 18U);
  for (;;) {
    const ssize_t size = ::read(file.get(), part.data(), part.size());
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return fail_open(errno, path, kReadAgain);
    }
    if (size == 0) {
      break;
    }
    SHA256Update(&context, part.data(), static_cast<std::size_t>(size));
  }
  Digits digits{};
  (void)SHA256End(&context, digits.data());
  return text_of(digits);
}

}  // namespace

std::string sha256_hex(std::string_view content) {
  Digits digits{};
  (void)SHA256Data(reinterpret_cast<const std::uint8_t*>(content.data()), content.size(),
                   digits.data());
  return text_of(digits);
}

Result<std::string> sha256_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return sha256_of_file(path);
  }
  std::vector<std::filesystem::path> files = entries_of(path, error);
  std::erase_if(files, [](const auto& file) { return file.extension() != ".csv"; });
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const std::filesystem::path& file : files) {
    FRAMEGOV_TRY(const std::string digits, sha256_of_file(file));
    lines += digits + "  " + file.filename().string() + '\n';
  }
  return sha256_hex(lines);
}

}  // namespace framegov::sim

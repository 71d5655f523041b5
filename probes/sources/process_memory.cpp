// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_memory.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/unique_fd.h"

namespace framegov {
namespace {

/// 0 or an errno. Fewer bytes than asked for are EFAULT.
int read_by_call(std::int32_t tid, std::uint64_t address, std::span<std::int64_t> words) {
  iovec local{words.data(), words.size_bytes()};
  iovec remote{};
  // An address of another process, never followed in this one.
  std::memcpy(&remote.iov_base, &address, sizeof remote.iov_base);
  remote.iov_len = words.size_bytes();
  const ssize_t got = ::process_vm_readv(tid, &local, 1, &remote, 1, 0);
  return got < 0 ? errno : got == static_cast<ssize_t>(words.size_bytes()) ? 0 : EFAULT;
}

int read_by_file(const std::filesystem::path& proc, std::int32_t tid, std::uint64_t address,
                 std::span<std::int64_t> words) {
  const UniqueFd memory = open_file(proc / std::to_string(tid) / "mem", O_RDONLY);
  if (!memory) {
    return errno;
  }
  const ssize_t got =
      ::pread(memory.get(), words.data(), words.size_bytes(), static_cast<off_t>(address));
  return got < 0 ? errno : got == static_cast<ssize_t>(words.size_bytes()) ? 0 : EFAULT;
}

}  // namespace

Result<ProcessMemory> ProcessMemory::open(const std::filesystem::path& proc) {
  ProcessMemory memory(proc);
  const std::array<std::int64_t, 1> known{0x6d656d};
  std::array<std::int64_t, 1> found{};
  const auto address = reinterpret_cast<std::uintptr_t>(known.data());
  const int by_call = read_by_call(::getpid(), address, found);
  if (by_call == 0) {
    return memory;
  }
  const int by_file = read_by_file(proc, ::getpid(), address, found);
  if (by_file == 0 && found == known) {
    memory.through_files_ = true;
    return memory;
  }
  return fail(
      ExitCode::kUnsupported,
      "apps' memory cannot be read: process_vm_readv: " + std::generic_category().message(by_call) +
          "; " + proc.string() + "/PID/mem: " + std::generic_category().message(by_file));
}

bool ProcessMemory::read(std::int32_t tid, std::uint64_t address,
                         std::span<std::int64_t> words) const {
  return (through_files_ ? read_by_file(proc_, tid, address, words)
                         : read_by_call(tid, address, words)) == 0;
}

}  // namespace framegov

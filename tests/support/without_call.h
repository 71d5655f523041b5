// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace framegov::test {

/// Runs `work` on a thread of its own for which the kernel lacks one system call: it is ENOSYS.
/// False where such a kernel cannot be had.
template <class Work>
[[nodiscard]] bool without_call(long number, Work work) {
  bool filtered = false;
  std::thread([&] {
    std::array<sock_filter, 4> program{
        {{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
         {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(number)},
         {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
         {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}}};
    const sock_fprog filter{program.size(), program.data()};
    filtered = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
    if (filtered) {
      work();
    }
  }).join();
  return filtered;
}

}  // namespace framegov::test

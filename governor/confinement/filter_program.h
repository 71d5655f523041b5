// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "base/result.h"

namespace framegov {

/// New namespaces, of clone()'s flags.
inline constexpr std::uint32_t kNamespaces = 0x7e020000;

#if defined(__aarch64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__x86_64__)
inline constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
#error "the system call filter knows arm64 and x86_64"
#endif

/// A filter of system calls as it is written: rules for single calls, and what holds for the rest.
/// Begins with what no rule lets through, system calls of another architecture.
class FilterProgram {
 public:
  FilterProgram() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    refuse();
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    constexpr std::uint32_t kX32 = 0x40000000;
    add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
    refuse();
#endif
  }

  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void refuse(int error = EPERM) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  void allow_call(long number) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
    allow();
  }
  void refuse_call(long number, int error = EPERM) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
    refuse(error);
  }
  /// Calls newer than `number`.
  void refuse_after(long number, int error) {
    add(BPF_JMP | BPF_JGT | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
    refuse(error);
  }
  /// Allows a call if all of `checks`, a function that states them, hold.
  template <class Checks>
  void allow_call_if(long number, const Checks& checks) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 0);
    const std::size_t begin = code_.size();
    checks(*this);
    allow();
    code_[begin - 1].jf = static_cast<std::uint8_t>(code_.size() - begin);
  }

  // The checks: of the lower half of an argument, which is all of an int. To be used in
  // allow_call_if() only, as they lose the call's number.
  void none_of_bits(unsigned argument, std::uint32_t bits) {
    load(low_half(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
    refuse();
  }
  void any_of_bits(unsigned argument, std::uint32_t bits) {
    load(low_half(argument));
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    refuse();
  }
  template <class Values>
  void one_of(unsigned argument, const Values& values) {
    load(low_half(argument));
    auto left = static_cast<std::uint8_t>(std::size(values));
    for (const auto value : values) {
      add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), left--, 0);
    }
    refuse();
  }
  void equal(unsigned argument, std::uint32_t value) {
    one_of(argument, std::initializer_list<std::uint32_t>{value});
  }
  void null(unsigned argument) {
    equal(argument, 0);
    load(low_half(argument) + sizeof(std::uint32_t));
    add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    refuse();
  }

  /// Puts it into force for this process and what it starts. What it refuses goes to the kernel's
  /// log too where `logged` and the kernel can. Error: the kernel has no filters.
  [[nodiscard]] Status enforce(bool logged = false) {
    const sock_fprog filter{static_cast<unsigned short>(code_.size()), code_.data()};
    if (logged &&
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_LOG, &filter) == 0) {
      return {};
    }
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
      return fail_errno(errno, "the system call filter",
                        "this kernel may lack CONFIG_SECCOMP_FILTER");
    }
    return {};
  }

 private:
  static constexpr std::size_t low_half(unsigned argument) {
    return offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t);  // little endian
  }
  void add(std::uint16_t code, std::uint32_t k, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0) {
    code_.push_back({code, if_true, if_false, k});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }

  std::vector<sock_filter> code_;
};

}  // namespace framegov

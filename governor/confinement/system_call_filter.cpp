// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/system_call_filter.h"

#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace framegov {

namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
#error "the system call filter knows arm64 and x86_64"
#endif

constexpr std::array kRefused {
  // other processes
  SYS_ptrace, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd,
      // the file system's shape
      SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_open_tree, SYS_move_mount, SYS_fsopen,
      SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_setns, SYS_unshare,
      SYS_open_by_handle_at, SYS_quotactl, SYS_acct,
      // the kernel
      SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_kexec_file_load,
      SYS_reboot, SYS_swapon, SYS_swapoff, SYS_syslog, SYS_userfaultfd,
      // its clock and names
      SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname,
      SYS_setdomainname,
      // keys
      SYS_add_key, SYS_request_key, SYS_keyctl,
      // a way round this filter
      SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
#if defined(__x86_64__)
      SYS_iopl, SYS_ioperm,
#endif
};

/// Of bpf(), what the service does with maps that it has.
constexpr std::array kBpfCommands{BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM,
                                  BPF_MAP_GET_NEXT_KEY};
/// Of socket(), what stays inside the phone: logd, the control socket, uevents.
constexpr std::array kSocketFamilies{AF_UNIX, AF_NETLINK};

/// New namespaces, of clone()'s flags.
constexpr std::uint32_t kNamespaces = 0x7e020000;

class Program {
 public:
  void add(std::uint16_t code, std::uint32_t k, std::uint8_t if_true = 0,
           std::uint8_t if_false = 0) {
    code_.push_back({code, if_true, if_false, k});
  }
  void load(std::size_t offset) {
    add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset));
  }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
  void refuse(int error = EPERM) {
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  /// Refuses system call `number`, whatever its arguments.
  void refuse_call(long number, int error = EPERM) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0, 1);
    refuse(error);
  }
  /// Refuses system call `number` when its first argument is none of `allowed`.
  template <class Values>
  void allow_first_argument(long number, const Values& allowed) {
    const auto count = static_cast<std::uint8_t>(allowed.size());
    // The load, a comparison each, and the two ends.
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(number), 0,
        static_cast<std::uint8_t>(count + 3));
    load(offsetof(seccomp_data, args[0]));
    std::uint8_t left = count;
    for (const auto value : allowed) {
      add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(value), left--, 0);
    }
    refuse();
    allow();
  }
  [[nodiscard]] sock_fprog get() {
    return {static_cast<unsigned short>(code_.size()), code_.data()};
  }

 private:
  std::vector<sock_filter> code_;
};

Program make_program(MemoryReading reading) {
  Program program;
  program.load(offsetof(seccomp_data, arch));
  program.add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
  program.refuse();
  program.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
  constexpr std::uint32_t kX32 = 0x40000000;
  program.add(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1);
  program.refuse();
#endif
  for (const long number : kRefused) {
    program.refuse_call(number);
  }
  if (reading == MemoryReading::kRefused) {
    program.refuse_call(SYS_process_vm_readv);
  }
  // Its flags are behind a pointer, out of a filter's sight; callers fall back to clone().
  program.refuse_call(SYS_clone3, ENOSYS);
  program.allow_first_argument(SYS_bpf, kBpfCommands);
  program.allow_first_argument(SYS_socket, kSocketFamilies);
  program.add(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
  program.load(offsetof(seccomp_data, args[0]));
  program.add(BPF_JMP | BPF_JSET | BPF_K, kNamespaces, 0, 1);
  program.refuse();
  program.allow();
  program.allow();
  return program;
}

}  // namespace

Status refuse_system_calls(MemoryReading reading) {
  Program program = make_program(reading);
  const sock_fprog filter = program.get();
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
    return fail_errno(errno, "the system call filter",
                      "this kernel may lack CONFIG_SECCOMP_FILTER");
  }
  return {};
}

}  // namespace framegov

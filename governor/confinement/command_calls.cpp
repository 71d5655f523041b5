// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include <array>

#include "governor/confinement/filter_program.h"
#include "governor/confinement/system_call_filter.h"

namespace framegov {

namespace {

constexpr std::array kRefused {
  // other processes
  SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd, SYS_bpf,
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

/// Of socket(), what stays inside the phone.
constexpr std::array kSocketFamilies{AF_UNIX, AF_NETLINK};

}  // namespace

Status refuse_command_calls() {
  FilterProgram program;
  for (const long number : kRefused) {
    program.refuse_call(number);
  }
  // Its flags are behind a pointer, out of a filter's sight; callers fall back to clone().
  program.refuse_call(SYS_clone3, ENOSYS);
  program.allow_call_if(SYS_socket, [](FilterProgram& of) { of.one_of(0, kSocketFamilies); });
  program.allow_call_if(SYS_clone, [](FilterProgram& of) { of.none_of_bits(0, kNamespaces); });
  program.allow();
  return program.enforce();
}

}  // namespace framegov

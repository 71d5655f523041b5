// SPDX-License-Identifier: Apache-2.0
#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "governor/confinement/filter_program.h"
#include "governor/confinement/system_call_filter.h"

namespace framegov {

namespace {

/// Those of each frame come first: the kernel looks from the beginning.
constexpr std::array kAllowed {
  SYS_read, SYS_epoll_pwait, SYS_pread64, SYS_pwrite64, SYS_write, SYS_timerfd_settime, SYS_futex,
#if defined(__x86_64__)
      SYS_epoll_wait,
#endif
      // files
      SYS_close, SYS_openat, SYS_openat2, SYS_readv, SYS_writev, SYS_lseek, SYS_fstat,
      SYS_newfstatat, SYS_statx, SYS_fstatfs, SYS_statfs, SYS_faccessat, SYS_faccessat2,
      SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_flock, SYS_fsync, SYS_fdatasync,
      SYS_ftruncate, SYS_unlinkat, SYS_mkdirat, SYS_renameat, SYS_renameat2, SYS_umask, SYS_dup,
      SYS_dup3, SYS_pipe2, SYS_fadvise64,
      // waiting
      SYS_epoll_create1, SYS_epoll_ctl, SYS_ppoll, SYS_pselect6, SYS_eventfd2, SYS_timerfd_create,
      SYS_timerfd_gettime, SYS_signalfd4, SYS_inotify_init1, SYS_inotify_add_watch,
      SYS_inotify_rm_watch, SYS_pidfd_open, SYS_nanosleep, SYS_clock_nanosleep, SYS_restart_syscall,
      // sockets that it has, of its clients and its command runner
      SYS_accept4, SYS_bind, SYS_listen, SYS_recvfrom, SYS_recvmsg, SYS_sendmsg, SYS_getsockopt,
      SYS_getsockname, SYS_shutdown,
      // memory and threads of its own
      SYS_munmap, SYS_mremap, SYS_madvise, SYS_brk, SYS_set_robust_list, SYS_rseq, SYS_membarrier,
      SYS_sched_yield, SYS_sched_getaffinity, SYS_sigaltstack, SYS_exit, SYS_exit_group,
      // signals to itself and timers
      SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigtimedwait,
      SYS_rt_sigpending, SYS_timer_create, SYS_timer_settime, SYS_timer_gettime, SYS_timer_delete,
      // questions about itself and the clock
      SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrandom,
      SYS_getrusage, SYS_uname, SYS_sysinfo, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid,
      SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getpriority,
#if defined(__x86_64__)
      // older names of the above
      SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_unlink, SYS_rmdir, SYS_mkdir,
      SYS_rename, SYS_poll, SYS_select, SYS_pipe, SYS_dup2, SYS_getrlimit, SYS_time, SYS_arch_prctl,
#endif
};

/// Of bpf(), what the service does with maps that it has.
constexpr std::array kBpfCommands{BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM,
                                  BPF_MAP_GET_NEXT_KEY};
/// The seals are those of memory that an app shares.
constexpr std::array kFcntlCommands{F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,    F_SETFD,
                                    F_GETFL, F_SETFL,         F_GET_SEALS};
/// Is it a terminal, and the end of a probe.
constexpr std::array<std::uint32_t, 2> kIoctls{TCGETS, PERF_EVENT_IOC_DISABLE};
/// An affinity as the service writes it: a mask of 64 CPUs.
constexpr std::uint32_t kMaskBytes = sizeof(std::uint64_t);
constexpr std::array kPrctls{PR_SET_NAME, PR_GET_NAME, PR_SET_VMA};

/// Linux 5.17. What has a higher number is younger than the list above.
constexpr long kNewestKnown = SYS_set_mempolicy_home_node;

void allow_with_conditions(FilterProgram& program) {
  program.allow_call_if(SYS_bpf, [](FilterProgram& of) { of.one_of(0, kBpfCommands); });
  program.allow_call_if(SYS_fcntl, [](FilterProgram& of) { of.one_of(1, kFcntlCommands); });
  program.allow_call_if(SYS_ioctl, [](FilterProgram& of) { of.one_of(1, kIoctls); });
  program.allow_call_if(SYS_prctl, [](FilterProgram& of) { of.one_of(0, kPrctls); });
  program.allow_call_if(SYS_mmap, [](FilterProgram& of) {
    of.none_of_bits(2, PROT_EXEC);
    of.none_of_bits(3, MAP_SHARED);
  });
  program.allow_call_if(SYS_mprotect, [](FilterProgram& of) { of.none_of_bits(2, PROT_EXEC); });
  // Threads, not processes.
  program.allow_call_if(SYS_clone, [](FilterProgram& of) {
    of.any_of_bits(0, CLONE_THREAD);
    of.none_of_bits(0, kNamespaces);
  });
  // To its command runner. Of other types, one end could send to any socket.
  program.allow_call_if(SYS_socketpair, [](FilterProgram& of) {
    of.equal(0, AF_UNIX);
    of.equal(1, SOCK_SEQPACKET | SOCK_CLOEXEC);
  });
  program.allow_call_if(SYS_sendto, [](FilterProgram& of) { of.null(4); });
  const auto self = static_cast<std::uint32_t>(::getpid());
  program.allow_call_if(SYS_tgkill, [self](FilterProgram& of) { of.equal(0, self); });
  program.allow_call_if(SYS_kill, [self](FilterProgram& of) { of.equal(0, self); });
  program.allow_call_if(SYS_setpriority, [](FilterProgram& of) { of.equal(1, 0); });
  // Its limits can be read and not set.
  program.allow_call_if(SYS_prlimit64, [](FilterProgram& of) {
    of.equal(0, 0);
    of.null(2);
  });
}

void allow_steering(FilterProgram& program) {
  program.allow_call_if(SYS_sched_setaffinity, [](FilterProgram& of) { of.equal(1, kMaskBytes); });
  program.allow_call_if(SYS_sched_setattr, [](FilterProgram& of) { of.equal(2, 0); });
  program.allow_call_if(SYS_sched_getattr, [](FilterProgram& of) { of.equal(3, 0); });
}

}  // namespace

Status allow_service_calls(MemoryReading reading, ThreadSteering steering) {
  // Its flags are behind a pointer, out of a filter's sight; callers fall back to clone(). Each new
  // thread tries it, so it is a filter of its own, which the kernel's log does not hear of.
  FilterProgram unlogged;
  unlogged.refuse_call(SYS_clone3, ENOSYS);
  unlogged.allow();
  FRAMEGOV_TRY_STATUS(unlogged.enforce());
  FilterProgram program;
  for (const long number : kAllowed) {
    program.allow_call(number);
  }
  allow_with_conditions(program);
  if (reading == MemoryReading::kAllowed) {
    program.allow_call(SYS_process_vm_readv);
  }
  if (steering == ThreadSteering::kAllowed) {
    allow_steering(program);
  }
  program.allow_call(SYS_clone3);  // the other filter does not
  program.refuse_after(kNewestKnown, ENOSYS);
  program.refuse();
  return program.enforce(true);
}

}  // namespace framegov

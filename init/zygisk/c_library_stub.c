/* SPDX-License-Identifier: Apache-2.0 */
/* Stands in for Android's libc.so while the module is linked: names only. Whatever else it called
 * would be an error of the linker. */
#define NAME(name) \
  void name(void); \
  void name(void) {}

NAME(__stack_chk_fail)
NAME(clock_gettime)
NAME(close)
NAME(connect)
NAME(eventfd)
NAME(fcntl)
NAME(ftruncate)
NAME(getpid)
NAME(getsockopt)
NAME(gettid)
NAME(memcpy)
NAME(memset)
NAME(mmap)
NAME(munmap)
NAME(open)
NAME(poll)
NAME(prctl)
NAME(pwrite)
NAME(read)
NAME(recvmsg)
NAME(sched_getcpu)
NAME(sendmsg)
NAME(setsockopt)
NAME(socket)
NAME(syscall)
NAME(write)

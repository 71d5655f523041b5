// SPDX-License-Identifier: Apache-2.0
// What the module uses of Android's C library, declared here: there is no NDK. The layouts are
// those of 64-bit Linux, so glibc's too, where the tests load the module.
#pragma once

#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/memfd.h>
#include <linux/prctl.h>
#include <linux/stat.h>
#include <linux/types.h>
#include <linux/un.h>

// NOLINTBEGIN(readability-identifier-naming): C, as the library has it.
extern "C" {
using size_t = __SIZE_TYPE__;
using ssize_t = long;

struct iovec {
  void* iov_base;
  size_t iov_len;
};
struct msghdr {
  void* msg_name;
  unsigned msg_namelen;
  iovec* msg_iov;
  size_t msg_iovlen;
  void* msg_control;
  size_t msg_controllen;
  int msg_flags;
};
struct pollfd {
  int fd;
  short events;
  short revents;
};
struct timespec {
  long tv_sec;
  long tv_nsec;
};
struct timeval {
  long tv_sec;
  long tv_usec;
};

int clock_gettime(int clock, timespec* now);
int close(int fd);
int connect(int socket, const void* address, unsigned size);
int eventfd(unsigned value, int flags);
int fcntl(int fd, int command, ...);
int ftruncate(int fd, long size);
int getpid();
int getsockopt(int socket, int level, int name, void* value, unsigned* size);
int gettid();
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
void* mmap(void* at, size_t size, int protection, int flags, int fd, long offset);
int munmap(void* at, size_t size);
int open(const char* path, int flags, ...);
int poll(pollfd* fds, unsigned long count, int timeout_ms);
int prctl(int option, ...);
ssize_t pwrite(int fd, const void* from, size_t size, long offset);
ssize_t read(int fd, void* to, size_t size);
ssize_t recvmsg(int socket, msghdr* message, int flags);
int sched_getcpu();
ssize_t sendmsg(int socket, const msghdr* message, int flags);
int setsockopt(int socket, int level, int name, const void* value, unsigned size);
int socket(int family, int type, int protocol);
long syscall(long number, ...);
ssize_t write(int fd, const void* from, size_t size);
}
// NOLINTEND(readability-identifier-naming)

namespace framegov::zygisk {

inline __u64 now_ns(int clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<__u64>(now.tv_sec) * 1'000'000'000U + static_cast<__u64>(now.tv_nsec);
}

inline constexpr int kClockMonotonic = 1;
inline constexpr int kClockBoot = 7;
inline constexpr int kUnixFamily = 1;
inline constexpr int kSeqPacket = 5;
inline constexpr int kCloseOnExec = O_CLOEXEC;  ///< of sockets and eventfds too
inline constexpr int kNonBlocking = O_NONBLOCK;
inline constexpr int kSocketLevel = 1;
inline constexpr int kPassRights = 1;
inline constexpr int kPeerCredentials = 17;
inline constexpr int kSendTimeout = 21;
inline constexpr int kNoSignal = 0x4000;
inline constexpr int kCloseReceivedOnExec = 0x40000000;
inline constexpr short kReadable = 1;
inline constexpr int kReadWrite = 3;  ///< of mmap
inline constexpr int kShared = 1;     ///< of mmap

}  // namespace framegov::zygisk

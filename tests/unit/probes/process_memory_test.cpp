// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "tests/support/without_call.h"

namespace framegov {
namespace {

constexpr std::array<std::int64_t, 3> kWords{11, -22, 33};

/// A process that holds kWords and waits.
class ProcessMemoryTest : public ::testing::Test {
 protected:
  ProcessMemoryTest() : child_(::fork()) {
    if (child_ == 0) {
      ::pause();
      ::_exit(0);
    }
  }
  ~ProcessMemoryTest() override {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  void expect_its_words(bool through_files) const {
    auto memory = ProcessMemory::open("/proc");
    ASSERT_TRUE(memory) << memory.error().to_string();
    EXPECT_EQ(memory->through_files(), through_files);
    std::array<std::int64_t, 3> words{};
    EXPECT_TRUE(memory->read(child_, reinterpret_cast<std::uintptr_t>(kWords.data()), words));
    EXPECT_EQ(words, kWords);
    EXPECT_FALSE(memory->read(child_, 8, words));  // nothing is there
  }

  pid_t child_;
};

TEST_F(ProcessMemoryTest, IsReadByTheKernelsCall) { expect_its_words(false); }

TEST_F(ProcessMemoryTest, IsReadThroughAFileWhereTheKernelHasNoCall) {
  if (!test::without_call(SYS_process_vm_readv, [&] { expect_its_words(true); })) {
    GTEST_SKIP() << "no system call filter";
  }
}

TEST_F(ProcessMemoryTest, ThatNothingReadsSaysWhatWasTried) {
  const bool tried = test::without_call(SYS_process_vm_readv, [] {
    const auto memory = ProcessMemory::open("/no/proc");
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().code, ExitCode::kUnsupported);
    EXPECT_NE(memory.error().message.find("process_vm_readv: Function not implemented"),
              std::string::npos);
    EXPECT_NE(memory.error().message.find("/no/proc/PID/mem"), std::string::npos);
  });
  if (!tried) {
    GTEST_SKIP() << "no system call filter";
  }
}

/// A process with a page that it lets nobody have.
class MeanProcess {
 public:
  MeanProcess() {
    std::array<int, 2> told{};
    EXPECT_EQ(::pipe(told.data()), 0);
    child_ = ::fork();
    if (child_ == 0) {
      const std::uint64_t page = keep_a_page();
      (void)!::write(told[1], &page, sizeof page);
      ::pause();
      ::_exit(0);
    }
    (void)!::read(told[0], &page_, sizeof page_);
    ::close(told[0]);
    ::close(told[1]);
  }
  MeanProcess(const MeanProcess&) = delete;
  MeanProcess& operator=(const MeanProcess&) = delete;
  ~MeanProcess() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return child_; }
  /// 0: the kernel does not let it.
  [[nodiscard]] std::uint64_t page() const { return page_; }

 private:
  static std::uint64_t keep_a_page() {
    const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    void* const page =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const int fd = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC));
    uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
    uffdio_register kept{};
    kept.range = {reinterpret_cast<std::uintptr_t>(page), size};
    kept.mode = UFFDIO_REGISTER_MODE_MISSING;
    return fd >= 0 && ::ioctl(fd, UFFDIO_API, &api) == 0 && ::ioctl(fd, UFFDIO_REGISTER, &kept) == 0
               ? kept.range.start
               : 0;
  }

  pid_t child_{};
  std::uint64_t page_{};
};

TEST_F(ProcessMemoryTest, APageThatNobodyGetsIsNotWaitedFor) {
  auto memory = ProcessMemory::open("/proc");
  ASSERT_TRUE(memory);
  std::array<std::int64_t, 3> words{};
  {
    std::array<MeanProcess, ProcessMemory::kReaders> mean;
    if (mean[0].page() == 0) {
      GTEST_SKIP() << "the kernel gives no userfaultfd";
    }
    for (const MeanProcess& each : mean) {
      EXPECT_FALSE(memory->read(each.pid(), each.page(), words));
      EXPECT_FALSE(memory->read(each.pid(), each.page(), words));
      const bool more = &each != &mean.back();
      EXPECT_EQ(memory->read(child_, reinterpret_cast<std::uintptr_t>(kWords.data()), words), more);
    }
  }
  // Their ends set the readers free.
  while (!memory->read(child_, reinterpret_cast<std::uintptr_t>(kWords.data()), words)) {
    ::usleep(1000);
  }
  EXPECT_EQ(words, kWords);
}

TEST_F(ProcessMemoryTest, AReadingThatWaitsDoesNotKeepTheReaderFromEnding) {
  const MeanProcess mean;
  if (mean.page() == 0) {
    GTEST_SKIP() << "the kernel gives no userfaultfd";
  }
  auto memory = ProcessMemory::open("/proc");
  ASSERT_TRUE(memory);
  std::array<std::int64_t, 3> words{};
  EXPECT_FALSE(memory->read(mean.pid(), mean.page(), words));
}

}  // namespace
}  // namespace framegov

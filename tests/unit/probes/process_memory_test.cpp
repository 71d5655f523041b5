// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/process_memory.h"

#include <gtest/gtest.h>
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
    const auto memory = ProcessMemory::open("/proc");
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

}  // namespace
}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
// A trace buffer of our own in this machine's tracefs.
#include "probes/context/event_pipe.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/integration/uprobes/mounted_tracefs.h"

namespace framegov {
namespace {

constexpr const char* kEvent = "sched/sched_process_fork";

class EventPipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tracefs_.path().empty()) {
      GTEST_SKIP() << tracefs_.why_not();
    }
    if (!std::filesystem::exists(tracefs_.path() / "events" / kEvent)) {
      GTEST_SKIP() << "this kernel has no events";
    }
  }
  [[nodiscard]] Result<EventPipe> open(const char* event = kEvent) const {
    return EventPipe::open(tracefs_.path(), event, "test", "16");
  }

  test::MountedTracefs tracefs_;
};

TEST_F(EventPipeTest, TellsLinesAndLeavesNoFolder) {
  std::filesystem::path folder;
  {
    auto opened = open();
    ASSERT_TRUE(opened) << opened.error().to_string();
    EventPipe pipe = *std::move(opened);
    folder = pipe.folder();
    EXPECT_TRUE(std::filesystem::exists(folder / "trace_pipe"));
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    int told = 0;
    pipe.drain([&](std::string_view line) {
      told += line.find("sched_process_fork:") != std::string_view::npos ? 1 : 0;
    });
    EXPECT_GT(told, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(EventPipeTest, ABufferThatIsInUseIsRefused) {
  const auto first = open();
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_FALSE(open());
}

TEST_F(EventPipeTest, AnEventThatIsNotThereLeavesNoFolderEither) {
  EXPECT_FALSE(open("power/no_such_event"));
  const auto opened = open();  // of the same name
  EXPECT_TRUE(opened) << opened.error().to_string();
}

}  // namespace
}  // namespace framegov

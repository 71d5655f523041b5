// SPDX-License-Identifier: Apache-2.0
// Where the service knows the GPU's load from.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "governor/startup/start_control.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

class GpuLoadTest : public ::testing::Test {
 protected:
  GpuLoadTest() {
    settings_.sys_root = folder_.path() / "sys";
    settings_.proc_root = folder_.path() / "proc";
  }
  void put(const std::string& file, const std::string& text) const {
    const auto path = folder_.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] GpuLoad open() const {
    return open_gpu_load(settings_, *Log::open_anyway(LogLevel::kError, folder_.path() / "log"));
  }

  test::TemporaryFolder folder_;
  ServiceSettings settings_;
};

TEST_F(GpuLoadTest, ADriversNodeTellsItWithoutATraceBuffer) {
  put("sys/class/kgsl/kgsl-3d0/gpu_busy_percentage", "96 %\n");
  const GpuLoad load = open();
  EXPECT_TRUE(load.is_told());
  EXPECT_TRUE(load.nodes);
  EXPECT_EQ(load.trace_buffer(), "");
}

TEST_F(GpuLoadTest, WithoutNodeAndEventItIsLeftToFrames) { EXPECT_FALSE(open().is_told()); }

TEST_F(GpuLoadTest, AnEventThatCannotBeOpenedLeavesItToFrames) {
  const std::string tracefs = folder_.path() / "tracing";
  put("proc/mounts", "none " + tracefs + " tracefs rw 0 0\n");
  put("tracing/trace_pipe", "");
  put("tracing/events/power/gpu_work_period/enable", "0");
  const GpuLoad load = open();  // it has no folder for trace buffers
  EXPECT_FALSE(load.is_told());
  EXPECT_EQ(load.trace_buffer(), "");
}

}  // namespace
}  // namespace framegov

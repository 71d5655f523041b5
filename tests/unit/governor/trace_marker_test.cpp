// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/trace_marker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/cpufreq_tree.h"
#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(TraceMarkerLines, AFrameWithoutADeadlineHasNoSlack) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "trace_marker";
  std::ofstream(file).flush();
  auto marker = TraceMarker::open(folder.path(), test::phone_topology());
  ASSERT_TRUE(marker);
  const auto lines_after = [&](const Frame& frame) {
    (*marker)->on_frame(frame, "app", frame.ready);
    StepReport report;
    report.now = frame.ready;
    (*marker)->on_step(report);
    std::ifstream in(file);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  Frame frame;
  frame.vsync = instant_from_ns(35'824'997'000'000);
  frame.ready = frame.vsync + std::chrono::milliseconds{7};
  EXPECT_THAT(lines_after(frame), Not(HasSubstr("slack_us")));
  frame.deadline = frame.vsync + std::chrono::milliseconds{8};
  EXPECT_THAT(lines_after(frame), HasSubstr("slack_us|1000"));
}

}  // namespace
}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/trace_text.h"

#include <gtest/gtest.h>

#include "probes/sources/trace_instance.h"

namespace framegov {
namespace {

TEST(TraceText, ReadsTheLinesOfKernelsOldAndNew) {
  for (const char* line :
       {// 6.x, with flags and the process id
        "    RenderThread-26186   (  26185) [003] DBZff  5642.181952: queue_buffer: "
        "(0x7fd7b9700820) "
        "surface=140724",
        // 4.x
        "    RenderThread-26186 [003] d..2  5642.181952: queue_buffer: (0x7fd7b9700820) "
        "surface=140724",
        // without flags, and with a process id that is not known
        "    RenderThread-26186 (-------) [003]  5642.181952: queue_buffer: (0x7fd7b9700820) "
        "surface=140724"}) {
    const auto parsed = parse_trace_line(line);
    ASSERT_TRUE(parsed) << line;
    EXPECT_EQ(parsed->tid, 26186);
    EXPECT_EQ(parsed->cpu, 3);
    EXPECT_EQ(to_ns(parsed->at), 5642'181'952'000);
    EXPECT_EQ(parsed->event, "queue_buffer");
    EXPECT_EQ(trace_argument(parsed->arguments, "surface"), 140724U);
  }
}

TEST(TraceText, ANameMayHoldAnything) {
  const auto parsed =
      parse_trace_line(" a-1 [9] b: c: d-77    [000] .....     1.000001: frame_start: (0x1)");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->tid, 77);
  EXPECT_EQ(parsed->event, "frame_start");
  EXPECT_EQ(to_ns(parsed->at), 1'000'001'000);
}

TEST(TraceText, ReadsReturns) {
  const auto parsed = parse_trace_line(
      "             app-5       [001] DBZff  5642.181979: dequeue_buffer_return: (0x55f5 <- "
      "0x7fd7)");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->event, "dequeue_buffer_return");
}

TEST(TraceText, RefusesWhatIsNoEvent) {
  for (const char* line :
       {"", "#", "CPU:1 [LOST 3 EVENTS]", "             app-",
        "             app-x [001] d 1.000000: e: (0)", "             app-5 [001] d 1.00: e: (0)",
        "             app-5 [001] d -1.000000: e: (0)",
        "             app-5 [001] d 99999999999999.000000: e: (0)",
        "             app-5 [001] d 1.000000: e: (0",
        "             app-5 001 d 1.000000: e: (0)"}) {
    EXPECT_FALSE(parse_trace_line(line)) << line;
  }
}

TEST(TraceText, ArgumentsAreFoundByTheirWholeName) {
  EXPECT_EQ(trace_argument(" count=12 destination=99", "destination"), 99U);
  EXPECT_FALSE(trace_argument(" discount=12", "count"));
  EXPECT_FALSE(trace_argument(" count=0x12", "count"));
  EXPECT_FALSE(trace_argument(" count=", "count"));
  EXPECT_FALSE(trace_argument(" count=99999999999999999999", "count"));
}

TEST(TraceText, LostEventsAreCounted) {
  EXPECT_EQ(parse_lost_events("CPU:2 [LOST 123 EVENTS]"), 123U);
  EXPECT_EQ(parse_lost_events("CPU:2 [LOST EVENTS]"), 1U);
  EXPECT_FALSE(parse_lost_events("             app-5 [001] d 1.000000: e: (0)"));
}

TEST(TraceText, DefinitionsSayLibraryOffsetAndArguments) {
  ProbePoint point{ProbeRole::kQueueBuffer, "/system/lib64/libgui.so", 0x1f40, false, true};
  const auto line = uprobe_definition("framegov", point, 4);
  ASSERT_TRUE(line);
  EXPECT_TRUE(
      line->starts_with("p:framegov/queue_buffer /system/lib64/libgui.so:0x1f40 surface=%"));
  point.role = ProbeRole::kDequeueBufferReturn;
  point.on_return = true;
  EXPECT_EQ(uprobe_definition("framegov", point, 4).value(),
            "r:framegov/dequeue_buffer_return /system/lib64/libgui.so:0x1f40\n");
  point.library = "/data/my lib.so";
  EXPECT_FALSE(uprobe_definition("framegov", point, 4));
}

}  // namespace
}  // namespace framegov

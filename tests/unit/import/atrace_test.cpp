// SPDX-License-Identifier: Apache-2.0
#include "sim/import/atrace.h"

#include <gtest/gtest.h>

namespace framegov::sim {
namespace {

TEST(Atrace, ReadsEveryPhase) {
  const auto begin = parse_atrace("B|7459|queueBuffer");
  ASSERT_TRUE(begin);
  EXPECT_EQ(begin->phase, AtracePhase::kBegin);
  EXPECT_EQ(begin->tgid, 7459);
  EXPECT_EQ(begin->name, AtraceName::kQueueBuffer);
  EXPECT_EQ(parse_atrace("E")->phase, AtracePhase::kEnd);
  EXPECT_EQ(parse_atrace("E|7459")->tgid, 7459);
  EXPECT_EQ(parse_atrace("E|7459|name")->phase, AtracePhase::kEnd);
  const auto counter = parse_atrace("C|594|VSYNC-app|1");
  ASSERT_TRUE(counter);
  EXPECT_EQ(counter->name, AtraceName::kVsyncApp);
  EXPECT_EQ(counter->value, 1);
  EXPECT_EQ(parse_atrace("C|594|a|b|-3")->value, -3);
  EXPECT_EQ(parse_atrace("S|1|deliverInputEvent src=0x1002|77")->name, AtraceName::kDeliverInput);
  EXPECT_EQ(parse_atrace("F|1|deliverInputEvent src=0x1002|77")->phase, AtracePhase::kAsyncEnd);
  EXPECT_EQ(parse_atrace("G|1|track|name|77")->phase, AtracePhase::kAsyncBegin);
  EXPECT_EQ(parse_atrace("N|1|track|name")->phase, AtracePhase::kInstant);
}

TEST(Atrace, FindsFramesOfEveryAndroidVersion) {
  const auto name = [](const char* text) { return parse_atrace(text)->name; };
  const auto token = [](const char* text) { return parse_atrace(text)->token; };
  EXPECT_EQ(name("B|1|Choreographer#doFrame"), AtraceName::kDoFrame);
  EXPECT_EQ(name("B|1|Choreographer#doFrame 191058"), AtraceName::kDoFrame);
  EXPECT_EQ(token("B|1|Choreographer#doFrame 191058"), 191058);
  EXPECT_EQ(name("B|1|DrawFrame"), AtraceName::kDrawFrame);
  EXPECT_EQ(name("B|1|DrawFrame 5"), AtraceName::kDrawFrame);
  EXPECT_EQ(name("B|1|DrawFrames 191058"), AtraceName::kDrawFrame);
  EXPECT_EQ(token("B|1|DrawFrames 191058"), 191058);
  EXPECT_EQ(name("B|1|Choreographer#doFrame -1"), AtraceName::kDoFrame);
  EXPECT_EQ(token("B|1|DrawFrames -1"), kNoVsyncId);
  EXPECT_EQ(name("B|1|prepareAndDraw"), AtraceName::kOwnDraw);
  // Not frames of their own.
  EXPECT_EQ(name("B|1|Choreographer#doFrame -2"), AtraceName::kOther);
  EXPECT_EQ(name("B|1|Choreographer#doFrame - resynced to 7 in 2.0ms"), AtraceName::kOther);
  EXPECT_EQ(name("B|1|DrawFrameworks"), AtraceName::kOther);
  EXPECT_EQ(name("B|1|dequeueBuffers"), AtraceName::kOther);
  EXPECT_EQ(name("B|1|queueBufferAndSignal"), AtraceName::kOther);
}

TEST(Atrace, TellsSurfacesByTheNamesOfTheirBuffers) {
  const auto buffer = [](const char* text) { return parse_atrace(text).value_or(AtraceLine{}); };
  EXPECT_EQ(buffer("B|1|VRI[Main]#1(BLAST Consumer)1: 2").name, AtraceName::kBuffer);
  EXPECT_EQ(buffer("B|1|VRI[Main]#1: 2").token, buffer("B|1|VRI[Main]#1: 13").token);
  EXPECT_NE(buffer("B|1|VRI[Main]#1: 2").token, buffer("B|1|VRI[Main]#2: 2").token);
  EXPECT_NE(buffer("B|1|VRI[Main]#1: 2").token, 0);
  EXPECT_EQ(buffer("B|1|: ").name, AtraceName::kOther);
  EXPECT_EQ(buffer("B|1|12").name, AtraceName::kOther);
  EXPECT_EQ(buffer("B|1|VRI[Main]#1: 2 x").name, AtraceName::kOther);
}

TEST(Atrace, PassesOverOtherText) {
  EXPECT_FALSE(parse_atrace(""));
  EXPECT_FALSE(parse_atrace("trace_event_clock_sync: parent_ts=538.064758"));
  EXPECT_FALSE(parse_atrace("X|1|y"));
  EXPECT_FALSE(parse_atrace("B"));
  EXPECT_FALSE(parse_atrace("C|1|no value"));
}

}  // namespace
}  // namespace framegov::sim

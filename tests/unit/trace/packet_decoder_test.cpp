// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/perfetto_builder.h"
#include "tests/unit/trace/collecting_sink.h"

namespace framegov {
namespace {

using test::bundle_packet;
using test::clock_snapshot;
using test::CollectingSink;
using test::deflated;
using test::frequency_event;
using test::ftrace_event;
using test::Message;
using test::print_event;
using test::read_all;
using test::switch_event;
using test::trace_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

Message timeline_end(std::uint64_t at, std::uint64_t cookie) {
  return Message().varint(8, at).message(76, Message().message(5, Message().varint(1, cookie)));
}

TEST(PacketDecoder, DecodesFtraceEvents) {
  CollectingSink sink;
  ASSERT_TRUE(read_all(trace_of({bundle_packet(
                           5, {switch_event(100, 7, 8), frequency_event(110, 4, 1'803'000),
                               print_event(120, 8, "B|8|queueBuffer"),
                               ftrace_event(130, 0, 332, Message().varint(1, 0).varint(2, 800'000)),
                               ftrace_event(140, 0, 20, Message().varint(2, 42))})}),
                       sink));
  ASSERT_EQ(sink.switches.size(), 1U);
  EXPECT_EQ(sink.switches[0].at, 100);
  EXPECT_EQ(sink.switches[0].cpu, 5);
  EXPECT_EQ(sink.switches[0].prev_tid, 7);
  EXPECT_EQ(sink.switches[0].next_tid, 8);
  EXPECT_EQ(sink.comms[0], "next");
  ASSERT_EQ(sink.frequencies.size(), 1U);
  EXPECT_EQ(sink.frequencies[0].cpu, 4);
  EXPECT_EQ(sink.frequencies[0].khz, 1'803'000U);
  EXPECT_THAT(sink.prints, ElementsAre(Pair(120, "B|8|queueBuffer")));
  EXPECT_THAT(sink.gpu_frequencies, ElementsAre(Pair(130, 800'000U)));
  EXPECT_THAT(sink.wakings, ElementsAre(Pair(140, 42)));
}

TEST(PacketDecoder, KnowsABundlesCpuEvenWhenItStandsLast) {
  CollectingSink sink;
  const Message bundle = Message().message(2, switch_event(1, 0, 2)).varint(3, 1).varint(1, 6);
  ASSERT_TRUE(read_all(trace_of({Message().message(1, bundle)}), sink));
  EXPECT_EQ(sink.switches.at(0).cpu, 6);
  EXPECT_THAT(sink.lost, ElementsAre(6));
}

/// A bundle of `cpu` in a packet of ftrace's sequence.
Message ftrace_packet(std::uint64_t cpu, bool dropped_before = false) {
  constexpr std::uint64_t kSequence = 3;
  return bundle_packet(cpu, {switch_event(100, 7, 8)})
      .varint(10, kSequence)
      .varint(42, dropped_before ? 1 : 0);
}

TEST(PacketDecoder, TellsOfEachCpuThatEventsWereLostWithDroppedPackets) {
  constexpr bool kDropped = true;
  const std::vector<Message> packets = {ftrace_packet(0, kDropped),  // a sequence's first one
                                        ftrace_packet(1),
                                        ftrace_packet(0, kDropped),
                                        ftrace_packet(1),
                                        ftrace_packet(0),
                                        ftrace_packet(1)};
  CollectingSink sink;
  ASSERT_TRUE(read_all(trace_of(packets), sink));
  EXPECT_THAT(sink.lost, ElementsAre(0, 1));

  std::vector<Message> before_snapshot = packets;
  before_snapshot.push_back(clock_snapshot(100, 10'100));
  CollectingSink waited;
  ASSERT_TRUE(read_all(trace_of(before_snapshot), waited));
  EXPECT_THAT(waited.lost, ElementsAre(0, 1));
}

TEST(PacketDecoder, TakesACpuThatHadNothingToTellForSilentNotLost) {
  CollectingSink sink;
  ASSERT_TRUE(read_all(trace_of({ftrace_packet(0), ftrace_packet(0, true), ftrace_packet(0),
                                 ftrace_packet(1), ftrace_packet(0), ftrace_packet(1)}),
                       sink));
  EXPECT_THAT(sink.lost, ElementsAre(0));
}

TEST(PacketDecoder, TakesNoEventsForLostWithAnotherSequencesPackets) {
  const Message others = Message(timeline_end(150, 9)).varint(10, 4).varint(42, 1);
  CollectingSink sink;
  ASSERT_TRUE(read_all(
      trace_of({ftrace_packet(0), others, ftrace_packet(0), others, ftrace_packet(0)}), sink));
  EXPECT_TRUE(sink.lost.empty());
}

TEST(PacketDecoder, AddsUpCompactSchedDeltas) {
  CollectingSink sink;
  const Message compact = Message()
                              .packed(1, {1000, 5, 7})
                              .packed(2, {1, 1, 2})
                              .packed(3, {11, 0, 12})
                              .packed(4, {120, 120, 120})
                              .bytes(5, "RenderThread")
                              .bytes(5, "swapper")
                              .packed(6, {0, 1, 9})
                              .packed(7, {900, 50})
                              .packed(8, {31, 32});
  ASSERT_TRUE(
      read_all(trace_of({Message().message(1, Message().varint(1, 2).message(4, compact))}), sink));
  ASSERT_EQ(sink.switches.size(), 3U);
  EXPECT_EQ(sink.switches[0].at, 1000);
  EXPECT_EQ(sink.switches[1].at, 1005);
  EXPECT_EQ(sink.switches[2].at, 1012);
  EXPECT_EQ(sink.switches[2].next_tid, 12);
  EXPECT_EQ(sink.switches[2].cpu, 2);
  EXPECT_THAT(sink.comms, ElementsAre("RenderThread", "swapper", ""));
  EXPECT_THAT(sink.wakings, ElementsAre(Pair(900, 31), Pair(950, 32)));
}

TEST(PacketDecoder, ShiftsBundlesOfAnotherClock) {
  constexpr std::uint64_t kGlobal = 2, kLocal = 3;
  for (const std::uint64_t clock : {kGlobal, kLocal}) {
    CollectingSink sink;
    const Message bundle = Message()
                               .varint(1, 0)
                               .varint(5, clock)
                               .varint(6, 1000)   // ftrace
                               .varint(7, 51000)  // boot
                               .message(2, switch_event(1500, 0, 2));
    ASSERT_TRUE(read_all(trace_of({Message().message(1, bundle)}), sink));
    EXPECT_EQ(sink.switches.at(0).at, 51500) << clock;
  }
}

TEST(PacketDecoder, TranslatesBundlesOfTheRawMonotonicClock) {
  const Message bundle = Message()
                             .varint(1, 0)
                             .varint(5, 4)  // FTRACE_CLOCK_MONO_RAW
                             .message(2, switch_event(1500, 0, 2));
  const Message ftrace = Message().message(1, bundle);
  const Message snapshot =
      Message().message(6, Message()
                               .message(1, Message().varint(1, 5).varint(2, 1'000))
                               .message(1, Message().varint(1, 6).varint(2, 51'000)));
  for (const auto& packets :
       {std::vector<Message>{snapshot, ftrace}, std::vector<Message>{ftrace, snapshot}}) {
    CollectingSink sink;
    ASSERT_TRUE(read_all(trace_of(packets), sink));
    EXPECT_EQ(sink.switches.at(0).at, 51'500);
  }
}

TEST(PacketDecoder, TranslatesClocksAndWaitsForTheSnapshot) {
  CollectingSink sink;
  const Message monotonic_end = Message(timeline_end(150, 9)).varint(58, 3);
  ASSERT_TRUE(
      read_all(trace_of({monotonic_end, clock_snapshot(100, 10'100), monotonic_end}), sink));
  ASSERT_EQ(sink.timelines.size(), 2U);
  EXPECT_EQ(sink.timelines[0].at, 10'150);
  EXPECT_EQ(sink.timelines[1].at, 10'150);
}

Message ftrace_of_a_monotonic_trace() {
  const Message compact =
      Message().packed(1, {10'160, 10}).packed(2, {1, 1}).packed(3, {11, 0}).packed(4, {120, 120});
  return Message().message(
      1, Message().varint(1, 2).message(2, switch_event(10'150, 7, 8)).message(4, compact));
}

TEST(PacketDecoder, TranslatesTheKernelsTimesToTheTracesClock) {
  const Message monotonic =
      Message().message(6, Message()
                               .message(1, Message().varint(1, 3).varint(2, 5'000'000))
                               .message(1, Message().varint(1, 6).varint(2, 5'010'000))
                               .varint(2, 3));
  const Message energy = Message().message(
      40, Message().message(2, Message().varint(1, 3).varint(2, 50).varint(3, 1234)));
  const Message ftrace = ftrace_of_a_monotonic_trace();
  for (const auto& packets : {std::vector<Message>{monotonic, ftrace, energy},
                              std::vector<Message>{ftrace, energy, monotonic}}) {
    CollectingSink sink;
    ASSERT_TRUE(read_all(trace_of(packets), sink));
    ASSERT_EQ(sink.switches.size(), 3U);
    EXPECT_EQ(sink.switches[0].at, 150);
    EXPECT_EQ(sink.switches[1].at, 160);
    EXPECT_EQ(sink.switches[2].at, 170);
    ASSERT_EQ(sink.energy.size(), 1U);
    EXPECT_EQ(sink.energy[0].at, 50'000'000 - 10'000);
  }
}

TEST(PacketDecoder, SkipsTheKernelsTimesWhereNoSnapshotJoinsThem) {
  CollectingSink sink;
  const Message only_monotonic = Message().message(
      6, Message().message(1, Message().varint(1, 3).varint(2, 5'000'000)).varint(2, 3));
  ASSERT_TRUE(read_all(trace_of({only_monotonic, ftrace_of_a_monotonic_trace()}), sink));
  EXPECT_TRUE(sink.switches.empty());
}

TEST(PacketDecoder, SkipsPacketsOfAClockThatNoSnapshotKnows) {
  CollectingSink sink;
  ASSERT_TRUE(read_all(trace_of({Message(timeline_end(150, 9)).varint(58, 3)}), sink));
  EXPECT_TRUE(sink.timelines.empty());
}

TEST(PacketDecoder, InflatesCompressedPackets) {
  CollectingSink sink;
  const std::string inner = trace_of({bundle_packet(1, {frequency_event(5, 1, 300'000)})});
  ASSERT_TRUE(read_all(trace_of({Message().bytes(50, deflated(inner))}), sink));
  EXPECT_EQ(sink.frequencies.size(), 1U);
}

TEST(PacketDecoder, RefusesDamagedAndNestedCompressedPackets) {
  CollectingSink sink;
  const auto damaged = read_all(trace_of({Message().bytes(50, "no deflate stream")}), sink);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("offset 0"));
  const std::string once = trace_of({Message().bytes(50, deflated(trace_of({Message()})))});
  const auto nested = read_all(trace_of({Message(), Message().bytes(50, deflated(once))}), sink);
  ASSERT_FALSE(nested);
  EXPECT_THAT(nested.error().message, HasSubstr("offset 2"));
}

TEST(PacketDecoder, RefusesADeflateBombWithBoundedMemory) {
  CollectingSink sink;
  const std::string bomb = deflated(std::string(std::size_t{80} << 20U, '\0'));
  const auto read = read_all(trace_of({Message().bytes(50, bomb)}), sink);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ExitCode::kBadInput);
}

TEST(PacketDecoder, SaysThatZstdIsNotSupported) {
  CollectingSink sink;
  const auto read = read_all(trace_of({Message().bytes(133, "\x28\xb5\x2f\xfd")}), sink);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ExitCode::kUnsupported);
}

TEST(PacketDecoder, NamesTheOffsetOfAMalformedPacket) {
  CollectingSink sink;
  // A length within the packet that reaches beyond it.
  const auto read =
      read_all(trace_of({Message().varint(8, 1)}) + std::string("\x0a\x02\x0a\x7f", 4), sink);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ExitCode::kBadInput);
  EXPECT_THAT(read.error().message, HasSubstr("offset 4 is malformed (end of buffer)"));
  EXPECT_THAT(read.error().hint, HasSubstr("--partial"));
}

TEST(PacketDecoder, NamesTheOffsetOfAMalformedPacketThatWaitedForItsClock) {
  CollectingSink sink;
  const Message damaged = Message().varint(8, 1).varint(58, 3).bytes(76, "\x22\x7f");
  const auto read =
      read_all(trace_of({Message().varint(8, 1), damaged, clock_snapshot(1, 1)}), sink);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("offset 4 is malformed"));
}

TEST(PacketDecoder, ReadsFrameTimelineOfSurfacesAndDisplays) {
  CollectingSink sink;
  const Message surface = Message()
                              .varint(1, 1)
                              .varint(2, 1000)
                              .varint(3, 1001)
                              .varint(4, 321)
                              .bytes(5, "layer")
                              .varint(6, 2)
                              .varint(7, 1)
                              .varint(9, 64);
  const Message display =
      Message().varint(1, 2).varint(2, 1001).varint(3, 99).varint(4, 1).varint(5, 1).varint(7, 16);
  ASSERT_TRUE(
      read_all(trace_of({Message().varint(8, 10).message(76, Message().message(4, surface)),
                         Message().varint(8, 11).message(76, Message().message(2, display))}),
               sink));
  ASSERT_EQ(sink.timelines.size(), 2U);
  const FrameTimelineEvent& app = sink.timelines[0];
  EXPECT_EQ(app.kind, FrameTimelineKind::kActualSurface);
  EXPECT_EQ(app.token, 1000);
  EXPECT_EQ(app.display_token, 1001);
  EXPECT_EQ(app.pid, 321);
  EXPECT_EQ(app.jank_type, 64U);
  EXPECT_TRUE(app.on_time_finish);
  const FrameTimelineEvent& sf = sink.timelines[1];
  EXPECT_EQ(sf.kind, FrameTimelineKind::kActualDisplay);
  EXPECT_EQ(sf.pid, 99);
  EXPECT_EQ(sf.present_type, 1U);
  EXPECT_EQ(sf.jank_type, 16U);
}

TEST(PacketDecoder, ReadsDescriptionsOfTheDevice) {
  CollectingSink sink;
  const Message tree =
      Message()
          .message(1, Message().varint(1, 100).varint(2, 1).bytes(3, "com.app"))
          .message(2, Message().varint(1, 101).varint(3, 100).bytes(2, "RenderThread"));
  const Message rails = Message()
                            .message(1, Message().varint(1, 3).bytes(2, "S2S_VDD_G3D"))
                            .message(2, Message().varint(1, 3).varint(2, 50).varint(3, 1234));
  const Message cpus =
      Message()
          .message(1, Message().varint(2, 300'000).varint(2, 1'803'000).varint(3, 160))
          .message(1, Message().packed(2, {500'000, 2'850'000}).varint(3, 1024));
  ASSERT_TRUE(read_all(
      trace_of({Message().message(2, tree), Message().message(40, rails),
                Message().message(45, Message().bytes(2, "google/oriole/oriole:13/x")),
                Message().message(
                    47, Message().message(1, Message().bytes(1, "com.app").varint(2, 10'001))),
                Message().message(67, cpus),
                Message().varint(8, 9).message(7, Message().packed(11, {300'000, 0, 500'000}))}),
      sink));
  EXPECT_THAT(sink.thread_names, ElementsAre("com.app", "RenderThread"));
  EXPECT_TRUE(sink.threads[0].is_command_line);
  EXPECT_EQ(sink.threads[1].tgid, 100);
  EXPECT_THAT(sink.rails, ElementsAre("S2S_VDD_G3D"));
  EXPECT_EQ(sink.energy.at(0).at, 50'000'000);
  EXPECT_EQ(sink.fingerprint, "google/oriole/oriole:13/x");
  EXPECT_THAT(sink.packages, ElementsAre(Pair("com.app", 10'001U)));
  ASSERT_EQ(sink.cpus.size(), 2U);
  EXPECT_EQ(sink.cpus[0].max_khz, 1'803'000U);
  EXPECT_EQ(sink.cpus[1].max_khz, 2'850'000U);
  EXPECT_EQ(sink.cpus[1].capacity, 1024U);
  ASSERT_EQ(sink.polled.size(), 2U);  // an offline CPU reads 0
  EXPECT_EQ(sink.polled[1].cpu, 2);
}

}  // namespace
}  // namespace framegov

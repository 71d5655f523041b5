// SPDX-License-Identifier: Apache-2.0
// What packets say with the state of their sequence: defaults, interned names, incremental clocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/perfetto_builder.h"
#include "tests/unit/trace/collecting_sink.h"
#include "trace/packet_decoder.h"

namespace framegov {
namespace {

using test::bundle_packet;
using test::clock_snapshot;
using test::CollectingSink;
using test::Message;
using test::read_all;
using test::switch_event;
using test::trace_of;
using ::testing::ElementsAre;

TEST(PacketSequences, UsesASequencesDefaultsAndInternedNames) {
  CollectingSink sink;
  const Message state =
      Message()
          .varint(10, 5)
          .varint(13, 1)
          .message(59, Message().varint(58, 3).message(11, Message().varint(11, 77)))
          .message(12, Message()
                           .message(2, Message().varint(1, 1).bytes(2, "work"))
                           .message(3, Message().varint(1, 4).bytes(2, "key")));
  const auto event = [](std::uint64_t sequence) {
    return Message()
        .varint(8, 200)
        .varint(10, sequence)
        .varint(13, 2)
        .message(11, Message().varint(9, 1).varint(10, 1).message(
                         4, Message().varint(1, 4).varint(4, 12)));
  };
  ASSERT_TRUE(read_all(trace_of({clock_snapshot(100, 1100), state, event(5), event(6)}), sink));
  ASSERT_EQ(sink.track_events.size(), 2U);
  EXPECT_EQ(sink.track_events[0].at, 1200);
  EXPECT_EQ(sink.track_events[0].track, 77U);
  EXPECT_EQ(sink.track_event_names[0], "work");
  EXPECT_THAT(sink.annotation_names[0], ElementsAre("key"));
  // Another sequence knows nothing of it.
  EXPECT_EQ(sink.track_events[1].at, 200);
  EXPECT_EQ(sink.track_event_names[1], "");
}

TEST(PacketSequences, DropsPacketsWhoseStateWasLostUntilItIsSentAgain) {
  CollectingSink sink;
  const auto event = [] {
    return Message().varint(8, 1).varint(10, 5).varint(13, 2).message(11, Message().varint(9, 3));
  };
  ASSERT_TRUE(read_all(trace_of({event(), Message(event()).varint(42, 1), event(),
                                 Message().varint(10, 5).varint(13, 1), event()}),
                       sink));
  EXPECT_EQ(sink.track_events.size(), 2U);
}

/// Of a sequence whose clock 64 tells microseconds since the packet before.
Message incremental_clock() {
  return Message().varint(10, 8).message(
      6, Message()
             .message(1, Message().varint(1, 64).varint(2, 10).varint(3, 1).varint(4, 1000))
             .message(1, Message().varint(1, 6).varint(2, 500'000)));
}
Message incremental(std::uint64_t delta) {
  return Message().varint(8, delta).varint(58, 64).varint(10, 8);
}

TEST(PacketSequences, AddsUpIncrementalClocks) {
  CollectingSink sink;
  const auto event = [](std::uint64_t delta) {
    return incremental(delta).message(11, Message().varint(9, 3));
  };
  ASSERT_TRUE(read_all(trace_of({incremental_clock(), event(2), event(3)}), sink));
  ASSERT_EQ(sink.track_events.size(), 2U);
  EXPECT_EQ(sink.track_events[0].at, 502'000);
  EXPECT_EQ(sink.track_events[1].at, 505'000);
}

TEST(PacketSequences, LetsAnIncrementalClockGoOnWithPacketsOfAnyKind) {
  CollectingSink sink;
  const Message descriptor = incremental(2).message(60, Message().varint(1, 77).bytes(2, "track"));
  const Message untimed =
      Message().varint(10, 8).message(60, Message().varint(1, 78).bytes(2, "another"));
  const Message event = incremental(3).message(11, Message().varint(9, 3));
  ASSERT_TRUE(read_all(trace_of({incremental_clock(), descriptor, untimed, event}), sink));
  ASSERT_EQ(sink.track_events.size(), 1U);
  EXPECT_EQ(sink.track_events[0].at, 505'000);
}

TEST(PacketSequences, TellsHowManyPacketsItLeavesOutAndWhy) {
  const Message timeless = incremental(2).message(11, Message().varint(9, 3));
  const Message dropped = Message().varint(10, 5).varint(42, 1);
  const Message nameless = Message().varint(10, 5).varint(13, 2).message(11, Message());
  const Message guest = bundle_packet(0, {switch_event(100, 7, 8)}).varint(98, 4711);
  CollectingSink sink;
  ASSERT_TRUE(read_all(trace_of({timeless, dropped, nameless, nameless, guest}), sink));
  EXPECT_EQ(sink.left_out.timeless, 1U);
  EXPECT_EQ(sink.left_out.nameless, 2U);
  EXPECT_EQ(sink.left_out.other_machine, 1U);
  EXPECT_TRUE(sink.switches.empty());
}

}  // namespace
}  // namespace framegov

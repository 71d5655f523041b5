// SPDX-License-Identifier: Apache-2.0
// What a trace tells of the beginnings that its buffers have lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/perfetto_builder.h"
#include "tests/unit/trace/collecting_sink.h"

namespace framegov {
namespace {

using test::Message;
using test::read_all;
using test::trace_of;
using ::testing::ElementsAre;
using ::testing::Pair;

class Beginnings : public TraceSink {
 public:
  void on_complete_since(std::int32_t cpu, std::int64_t at) override {
    complete_since.emplace_back(cpu, at);
  }
  void on_overwritten() override { ++overwritten; }

  std::vector<std::pair<std::int32_t, std::int64_t>> complete_since;
  int overwritten = 0;
};

TEST(RingBuffer, BundlesTellWhereTheOneBeforeEnded) {
  const Message newer = Message().varint(1, 2).varint(10, 500);
  const Message older = Message().varint(9, 400).varint(1, 3);
  const Message other_clock =
      Message().varint(1, 4).varint(5, 2).varint(6, 1000).varint(7, 51000).varint(10, 900);
  Beginnings sink;
  ASSERT_TRUE(read_all(
      trace_of({Message().message(1, newer), Message().message(1, older),
                Message().message(1, other_clock), Message().message(1, Message().varint(1, 5))}),
      sink));
  EXPECT_THAT(sink.complete_since, ElementsAre(Pair(2, 500), Pair(3, 400), Pair(4, 50900)));
}

TEST(RingBuffer, StatisticsTellWhatWasOverwritten) {
  const auto stats = [](std::uint64_t chunks) {
    return Message().message(
        35, Message().message(1, Message().varint(12, 4096).varint(3, chunks).varint(4, 1)));
  };
  Beginnings sink;
  ASSERT_TRUE(read_all(trace_of({stats(0)}), sink));
  EXPECT_EQ(sink.overwritten, 0);
  ASSERT_TRUE(read_all(trace_of({stats(3)}), sink));
  EXPECT_EQ(sink.overwritten, 1);
}

TEST(RingBuffer, OnlyTheBufferThatFtraceGoesToCounts) {
  const auto source = [](const char* name, std::uint64_t buffer) {
    return Message().message(1, Message().bytes(1, name).varint(2, buffer));
  };
  const Message config = Message().message(
      33,
      Message().message(2, source("linux.process_stats", 0)).message(2, source("linux.ftrace", 1)));
  const auto stats = [](std::uint64_t first, std::uint64_t second) {
    return Message().message(
        35,
        Message().message(1, Message().varint(3, first)).message(1, Message().varint(3, second)));
  };
  const auto overwritten = [](const std::vector<Message>& packets) {
    Beginnings sink;
    EXPECT_TRUE(read_all(trace_of(packets), sink));
    return sink.overwritten;
  };
  EXPECT_EQ(overwritten({config, stats(5, 0)}), 0);
  EXPECT_EQ(overwritten({config, stats(0, 5)}), 1);
  // Any of them may be ftrace's.
  EXPECT_EQ(overwritten({stats(5, 0)}), 0);
  EXPECT_EQ(overwritten({stats(5, 5)}), 1);
}

TEST(RingBuffer, ACpuThatIsFirstDrainedInALaterRoundHasLostNothing) {
  std::vector<Message> packets;
  for (const std::uint64_t cpu : {0U, 0U, 1U, 0U, 2U, 1U, 2U}) {
    packets.push_back(Message().message(1, Message().varint(1, cpu)));
  }
  Beginnings sink;
  ASSERT_TRUE(read_all(trace_of(packets), sink));
  EXPECT_THAT(sink.complete_since, ElementsAre(Pair(2, 0)));
}

}  // namespace
}  // namespace framegov

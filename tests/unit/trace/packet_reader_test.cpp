// SPDX-License-Identifier: Apache-2.0
#include "trace/packet_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/perfetto_builder.h"

namespace framegov {
namespace {

using test::deflated;
using test::Message;
using test::trace_of;
using ::testing::HasSubstr;

Result<std::vector<std::string>> packets_of(const std::string& trace) {
  FRAMEGOV_TRY(auto source, bytes_in_memory(trace));
  PacketReader reader(*source);
  std::vector<std::string> packets;
  while (true) {
    FRAMEGOV_TRY(const auto next, reader.next());
    if (!next) {
      return packets;
    }
    packets.emplace_back(*next);
  }
}

TEST(PacketReader, CutsATraceIntoItsPackets) {
  const std::string trace(
      "\x0a\x02\x40\x07\x0a\x00\x0a\x03"
      "abc",
      11);
  const auto packets = packets_of(trace);
  ASSERT_TRUE(packets) << packets.error().message;
  EXPECT_THAT(*packets, ::testing::ElementsAre("\x40\x07", "", "abc"));
}

TEST(PacketReader, ReadsGzipInPieces) {
  // Larger than one step of inflating, in two members.
  const std::string big(700'000, 'x');
  const std::string first = trace_of({Message().bytes(900, big)});
  const std::string second = trace_of({Message().bytes(900, "end")});
  const auto packets = packets_of(deflated(first, true) + deflated(second, true));
  ASSERT_TRUE(packets) << packets.error().message;
  ASSERT_EQ(packets->size(), 2U);
  EXPECT_EQ((*packets)[0], Message().bytes(900, big).str());
}

TEST(PacketReader, NamesTheOffsetWhereATraceIsCutOff) {
  const std::string trace = trace_of({Message().varint(8, 1), Message().bytes(900, "0123456789")});
  const auto packets = packets_of(trace.substr(0, trace.size() - 3));
  ASSERT_FALSE(packets);
  EXPECT_EQ(packets.error().code, ExitCode::kBadInput);
  EXPECT_THAT(packets.error().message, HasSubstr("offset 4"));
  EXPECT_THAT(packets.error().message, HasSubstr("10 of its 13 bytes"));
}

TEST(PacketReader, RefusesASizeThatCannotBe) {
  const std::string trace("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
  const auto packets = packets_of(trace);
  ASSERT_FALSE(packets);
  EXPECT_THAT(packets.error().message, HasSubstr("offset 0"));
}

TEST(PacketReader, RefusesWhatIsNoPacket) {
  const auto packets = packets_of(trace_of({Message().varint(8, 1)}) + std::string("\x12\x00", 2));
  ASSERT_FALSE(packets);
  EXPECT_THAT(packets.error().message, HasSubstr("offset 4"));
}

TEST(PacketReader, SaysWhereGzipIsCutOff) {
  std::string noise;
  for (int i = 0; i < 100'000; ++i) {
    noise.push_back(static_cast<char>((i * 2654435761U) >> 13U));
  }
  const std::string whole = deflated(trace_of({Message().bytes(900, noise)}), true);
  const auto packets = packets_of(whole.substr(0, whole.size() / 2));
  ASSERT_FALSE(packets);
  EXPECT_THAT(packets.error().message, HasSubstr("cut off at file offset"));
}

TEST(ByteSource, RefusesEmptyAndMissingFiles) {
  const auto folder = std::filesystem::temp_directory_path() / "framegov_byte_source_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "empty").close();
  const auto empty = open_bytes(folder / "empty");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("is empty"));
  EXPECT_FALSE(open_bytes(folder / "missing"));
  EXPECT_FALSE(open_bytes(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>
#include <thread>

#include "probes/sources/app_ring_reader.h"
#include "probes/sources/app_ring_writer.h"
#include "tests/support/app_ring_memory.h"

namespace framegov {
namespace {

using test::AppRingMemory;
using test::buffer_record;
using test::kAllRingSeals;
using test::ui_record;

constexpr std::int32_t kRingPid = 100;

Instant ring_time(int ms) {
  return instant_from_ns(1'000'000'000'000) + std::chrono::milliseconds{ms};
}

/// An app that writes and a service that reads.
class AppRingTest : public ::testing::Test {
 protected:
  AppRingTest() : assembler_(CpuTopology{}, AssemblySettings{}), decoder_(assembler_) {
    auto reader = AppRingReader::open(memory_.for_the_service(), kRingPid);
    reader_ = std::make_unique<AppRingReader>(*std::move(reader));
    EXPECT_TRUE(reader_->resume());
    writer_.start(&memory_.ring());
  }

  template <class Record>
  bool write(const Record& record, bool wakes = true) {
    return writer_.write(&record, sizeof record, wakes);
  }
  /// A whole frame, ready 3 ms after its UI thread is done.
  void frame(int ms) {
    (void)write(ui_record(kRingPid, ring_time(ms)));
    (void)write(buffer_record(kRingPid, ring_time(ms + 3)));
  }
  /// Everything that waits. True: the app will wake the service.
  void read(Instant now) {
    for (bool more = true; more;) {
      FrameBatch batch;
      const auto result = reader_->read(decoder_, batch, [now] { return now; });
      ASSERT_TRUE(result) << result.error().to_string();
      more = *result;
    }
  }

  AppRingMemory memory_;
  FrameAssembler assembler_;
  RecordDecoder decoder_;
  AppRingWriter writer_;
  std::unique_ptr<AppRingReader> reader_;
};

TEST_F(AppRingTest, HandsOverEveryFrameThatTheAppMade) {
  // Several times around.
  for (int i = 0; i < 500; ++i) {
    frame(16 * i);
    read(ring_time(16 * i + 4));
  }
  EXPECT_EQ(assembler_.frames(), 500U);
  EXPECT_EQ(reader_->taken(), 1000U);
  EXPECT_EQ(reader_->rejected(), 0U);
  EXPECT_EQ(reader_->lost(), 0U);
}

TEST_F(AppRingTest, TheFirstRecordWakesASleepingServiceAndNoOther) {
  EXPECT_FALSE(write(ui_record(kRingPid, ring_time(0)), false)) << "it may wait for the buffer";
  EXPECT_TRUE(write(buffer_record(kRingPid, ring_time(3))));
  EXPECT_FALSE(write(buffer_record(kRingPid, ring_time(3))));
  read(ring_time(4));
  EXPECT_TRUE(write(ui_record(kRingPid, ring_time(16))));
}

TEST_F(AppRingTest, WhatHasNoRoomIsCounted) {
  for (int i = 0; i < 100; ++i) {
    frame(16 * i);
  }
  read(ring_time(1700));
  EXPECT_EQ(reader_->taken(), kAppRingSlots);
  EXPECT_EQ(reader_->lost(), 200 - kAppRingSlots);
  frame(1800);
  read(ring_time(1900));
  EXPECT_EQ(reader_->taken(), kAppRingSlots + 2) << "there is room again";
  EXPECT_EQ(reader_->lost(), 200 - kAppRingSlots);
}

TEST_F(AppRingTest, NothingIsWrittenWhileTheServiceDoesNotLook) {
  ASSERT_TRUE(reader_->pause());
  EXPECT_FALSE(writer_.wanted());
  EXPECT_FALSE(write(ui_record(kRingPid, ring_time(0)))) << "nobody is to be woken";
  ASSERT_TRUE(reader_->resume());
  EXPECT_TRUE(writer_.wanted());
  read(ring_time(20));
  EXPECT_EQ(reader_->taken(), 0U) << "what is from before is skipped";
}

TEST_F(AppRingTest, ASecondServiceGoesOnWhereItComesIn) {
  frame(0);
  auto second = AppRingReader::open(memory_.for_the_service(), kRingPid);
  ASSERT_TRUE(second && second->resume());
  *reader_ = *std::move(second);
  frame(16);
  read(ring_time(20));
  EXPECT_EQ(reader_->taken(), 2U);
  EXPECT_EQ(reader_->lost(), 0U);
}

TEST_F(AppRingTest, TwoThreadsWriteAtOnce) {
  std::atomic<int> done{0};
  const auto writes = [&](std::int32_t thread) {
    for (int i = 0; i < 2000; ++i) {
      auto record = buffer_record(kRingPid, ring_time(i));
      record.header.tid = static_cast<__u32>(thread);
      (void)write(record);
    }
    ++done;
  };
  std::thread first(writes, 1);
  std::thread second(writes, 2);
  while (done < 2) {
    read(ring_time(3000));
  }
  first.join();
  second.join();
  read(ring_time(3000));
  // What a thread has lost last is told with the next record.
  (void)write(buffer_record(kRingPid, ring_time(2500)));
  read(ring_time(3000));
  EXPECT_EQ(reader_->taken() + reader_->lost(), 4001U);
  EXPECT_EQ(decoder_.malformed(), 0U) << "no record is torn";
  EXPECT_EQ(reader_->rejected(), 0U);
}

TEST_F(AppRingTest, RecordsInAnothersNameAreRefused) {
  (void)write(ui_record(kRingPid + 1, ring_time(0)));
  read(ring_time(1));
  EXPECT_EQ(reader_->rejected(), 1U);
  EXPECT_EQ(decoder_.records(), 0U);
}

TEST_F(AppRingTest, TimesThatCannotBeAreRefused) {
  (void)write(ui_record(kRingPid, ring_time(50)));
  (void)write(ui_record(kRingPid, ring_time(0) - std::chrono::seconds{11}));
  auto never = ui_record(kRingPid, ring_time(0));
  never.header.time_ns = ~0ULL;
  (void)write(never);
  read(ring_time(49));
  EXPECT_EQ(reader_->rejected(), 3U);
  EXPECT_EQ(decoder_.records(), 0U);
}

TEST_F(AppRingTest, KindsThatNoRingHasAreRefused) {
  for (const int kind : {0, int{WIRE_FRAME_FINISHED}, int{WIRE_FRAME_START}, 0xffff}) {
    auto record = ui_record(kRingPid, ring_time(0));
    record.header.kind = static_cast<__u16>(kind);
    (void)write(record);
  }
  read(ring_time(1));
  EXPECT_EQ(reader_->rejected(), 4U);
}

TEST_F(AppRingTest, AWildHeadCostsOneLookAndNoRecords) {
  memory_.ring().head = 0x80000000U;
  read(ring_time(0));
  EXPECT_EQ(reader_->taken(), 0U);
  EXPECT_EQ(reader_->rejected(), 1U);
  memory_.ring().head += kAppRingSlots;
  read(ring_time(0));
  EXPECT_EQ(reader_->taken(), kAppRingSlots) << "never more than there are";
}

TEST_F(AppRingTest, AHeadThatRunsAheadOfTheReaderEndsARoundAllTheSame) {
  for (int i = 0; i < 10; ++i) {
    memory_.ring().head += kAppRingSlots;
    FrameBatch batch;
    ASSERT_TRUE(reader_->read(decoder_, batch, [] { return ring_time(0); }));
    EXPECT_LE(reader_->taken(), kAppRingSlots * static_cast<unsigned>(i + 1));
  }
}

TEST_F(AppRingTest, AForgedTailLosesTheAppsOwnRecordsOnly) {
  constexpr std::size_t kBefore = offsetof(AppRing, slots);
  constexpr std::size_t kBehind = kBefore + sizeof(AppRing::slots);
  AppRing& ring = memory_.ring();
  std::span<unsigned char> bytes(reinterpret_cast<unsigned char*>(&ring), kAppRingBytes);
  for (const std::uint32_t distance :
       {0U, 1U, kAppRingSlots - 1, kAppRingSlots, kAppRingSlots + 1, 12345U, 0x7fffffffU,
        0x80000000U, 0xffffff80U, 0xffffffffU}) {
    SCOPED_TRACE(distance);
    const std::uint32_t tail = ring.head - distance;
    ring.tail = tail;
    ring.state = kAppRingAwake;
    std::fill(bytes.begin() + kBehind, bytes.end(), 0xa5);
    for (int i = 0; i < 300; ++i) {
      (void)write(ui_record(kRingPid, ring_time(i)));
    }
    EXPECT_EQ(ring.tail, tail);
    EXPECT_EQ(ring.state, kAppRingAwake);
    EXPECT_TRUE(std::all_of(bytes.begin() + offsetof(AppRing, lost) + sizeof ring.lost,
                            bytes.begin() + offsetof(AppRing, tail),
                            [](unsigned char byte) { return byte == 0; }));
    EXPECT_TRUE(std::all_of(bytes.begin() + kBehind, bytes.end(),
                            [](unsigned char byte) { return byte == 0xa5; }));
    const std::uint64_t before = reader_->taken();
    read(ring_time(1000));
    EXPECT_LE(reader_->taken() - before, kAppRingSlots);
  }
}

TEST_F(AppRingTest, AServiceThatIsToldOfLossByALiarCountsIt) {
  memory_.ring().lost = 0xffffffffU;
  read(ring_time(0));
  memory_.ring().lost = 5;
  read(ring_time(0));
  EXPECT_EQ(reader_->lost(), 0xffffffffU + 6ULL);
}

TEST(AppRingMemoryTest, OnlyASealedRingOfItsSizeIsTaken) {
  const auto opens = [](UniqueFd memory) {
    return AppRingReader::open(std::move(memory), kRingPid).has_value();
  };
  EXPECT_TRUE(opens(AppRingMemory().for_the_service()));
  for (const int missing : {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_SEAL}) {
    EXPECT_FALSE(opens(AppRingMemory(kAppRingBytes, kAllRingSeals & ~missing).for_the_service()));
  }
  EXPECT_FALSE(opens(AppRingMemory(kAppRingBytes - 4096).for_the_service()));
  EXPECT_FALSE(opens(AppRingMemory(kAppRingBytes + 4096).for_the_service()));
  EXPECT_FALSE(opens(UniqueFd{::open("/dev/zero", O_RDWR | O_CLOEXEC)})) << "no memory at all";
  EXPECT_FALSE(opens(UniqueFd{}));
}

TEST(AppRingMemoryTest, SealsThatKernelsAddAreNoHindrance) {
  constexpr int kSealExec = 0x20;  // Linux 6.3
  const AppRingMemory memory(kAppRingBytes, kAllRingSeals | kSealExec);
  if (::fcntl(memory.fd(), F_GET_SEALS) != (kAllRingSeals | kSealExec)) {
    GTEST_SKIP() << "before Linux 6.3";
  }
  EXPECT_TRUE(AppRingReader::open(memory.for_the_service(), kRingPid));
}

TEST(AppRingMemoryTest, MemoryThatCannotBeWrittenIsRefused) {
  AppRingMemory memory(kAppRingBytes, 0);
  ASSERT_EQ(::munmap(&memory.ring(), kAppRingBytes), 0) << "or it could not be sealed";
  ASSERT_EQ(::fcntl(memory.fd(), F_ADD_SEALS, kAllRingSeals | F_SEAL_WRITE), 0);
  EXPECT_FALSE(AppRingReader::open(memory.for_the_service(), kRingPid));
}

}  // namespace
}  // namespace framegov

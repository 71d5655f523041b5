// SPDX-License-Identifier: Apache-2.0
#include "trace/clock_table.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

constexpr ClockKey kMonotonic = 3;
constexpr ClockKey kBoottime = 6;

TEST(ClockTable, TranslatesThroughTheLastSnapshotBeforeTheTime) {
  ClockTable clocks;
  const ClockReading before[] = {{kMonotonic, 100}, {kBoottime, 1100}};
  const ClockReading after_suspend[] = {{kMonotonic, 200}, {kBoottime, 5200}};
  clocks.add_snapshot(after_suspend);
  clocks.add_snapshot(before);
  EXPECT_EQ(clocks.translate(kMonotonic, 150, kBoottime), 1150);
  EXPECT_EQ(clocks.translate(kMonotonic, 250, kBoottime), 5250);
  EXPECT_EQ(clocks.translate(kMonotonic, 50, kBoottime), 1050);
  EXPECT_EQ(clocks.translate(kBoottime, 5201, kMonotonic), 201);
}

TEST(ClockTable, GoesByWayOfAThirdClock) {
  ClockTable clocks;
  const ClockKey own = clock_key(64, 7);
  const ClockReading of_sequence[] = {{own, 10}, {kMonotonic, 1010}};
  const ClockReading of_system[] = {{kMonotonic, 1000}, {kBoottime, 9000}};
  clocks.add_snapshot(of_sequence);
  clocks.add_snapshot(of_system);
  EXPECT_EQ(clocks.translate(own, 20, kBoottime), 9020);
}

TEST(ClockTable, KeepsAllSnapshotsOfManySequences) {
  constexpr std::uint32_t kSequences = 200;
  constexpr int kEach = 300;
  ClockTable clocks;
  const auto boot_at = [](std::uint32_t sequence, int i) {
    return std::int64_t{1'000'000} * i + sequence;
  };
  for (int i = 0; i < kEach; ++i) {
    for (std::uint32_t sequence = 1; sequence <= kSequences; ++sequence) {
      const ClockReading readings[] = {{clock_key(64, sequence), 1'000 * i},
                                       {kBoottime, boot_at(sequence, i)}};
      clocks.add_snapshot(readings);
      EXPECT_EQ(clocks.translate(clock_key(64, sequence), 1'000 * i + 7, kBoottime),
                boot_at(sequence, i) + 7);
    }
  }
  EXPECT_EQ(clocks.translate(clock_key(64, 3), 150'007, kBoottime), boot_at(3, 150) + 7);
}

TEST(ClockTable, SaysWhenNoSnapshotJoinsTheClocks) {
  ClockTable clocks;
  EXPECT_EQ(clocks.translate(kMonotonic, 5, kBoottime), std::nullopt);
  EXPECT_EQ(clocks.translate(kMonotonic, 5, kMonotonic), 5);
}

TEST(ClockTable, KeepsSequencesClocksApart) {
  EXPECT_NE(clock_key(64, 1), clock_key(64, 2));
  EXPECT_EQ(clock_key(kMonotonic, 1), clock_key(kMonotonic, 2));
}

}  // namespace
}  // namespace framegov

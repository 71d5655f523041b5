// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_info.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace framegov {
namespace {

constexpr std::int64_t kNow = 1'000'000'000'000;
constexpr std::int64_t kVsync = kNow - 7'000'000;
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

/// A plausible FrameInfo of `size` fields, laid out as libhwui does.
std::vector<std::int64_t> info(std::size_t size) {
  std::vector<std::int64_t> fields(size, 0);
  fields[size == 9 ? 1 : 2] = kVsync;
  fields[size == 9 ? 2 : 3] = kVsync;
  fields[5] = kVsync + kNsPerMs;
  if (size >= 12) {
    fields[9] = kVsync + 11 * kNsPerMs;
    fields[11] = 8'333'333;
  }
  return fields;
}

auto decode(const std::vector<std::int64_t>& fields) {
  return decode_frame_info(fields, instant_from_ns(kNow));
}

TEST(FrameInfo, EveryLayoutGivesItsTimes) {
  for (const std::size_t size : {9U, 12U, 13U, 14U}) {
    const auto times = decode(info(size));
    ASSERT_TRUE(times) << size;
    EXPECT_EQ(to_ns(times->vsync), kVsync);
    EXPECT_EQ(to_ns(times->ui_start), kVsync + kNsPerMs);
    EXPECT_EQ(to_ns(times->deadline), size == 9 ? 0 : kVsync + 11 * kNsPerMs);
    EXPECT_EQ(times->interval.count(), size == 9 ? 0 : 8'333'333);
  }
}

TEST(FrameInfo, SizesThatNoReleaseHasAreRefused) {
  for (const std::size_t size : {0U, 1U, 8U, 10U, 11U, 15U}) {
    std::vector<std::int64_t> fields(size, kVsync);
    const auto times = decode(fields);
    ASSERT_FALSE(times) << size;
    EXPECT_EQ(times.error(), FrameInfoFault::kSize);
  }
}

TEST(FrameInfo, VsyncsThatCannotBeAreRefused) {
  for (const std::int64_t vsync :
       {std::int64_t{0}, std::int64_t{-5}, kNow + 1, kForever,
        std::numeric_limits<std::int64_t>::min(), kNow - kMaxFrameAge.count() - 1}) {
    auto fields = info(12);
    fields[3] = vsync;
    const auto times = decode(fields);
    ASSERT_FALSE(times) << vsync;
    EXPECT_EQ(times.error(), FrameInfoFault::kVsync);
  }
}

TEST(FrameInfo, DeadlinesAndIntervalsThatCannotBeAreRefused) {
  for (const std::int64_t deadline : {std::int64_t{-1}, kVsync + 1'000'000'001, kForever - 1}) {
    auto fields = info(13);
    fields[9] = deadline;
    ASSERT_FALSE(decode(fields)) << deadline;
    EXPECT_EQ(decode(fields).error(), FrameInfoFault::kDeadline);
  }
  for (const std::int64_t interval : {std::int64_t{-2}, std::int64_t{99'999}, kForever,
                                      std::numeric_limits<std::int64_t>::min()}) {
    auto fields = info(14);
    fields[11] = interval;
    ASSERT_FALSE(decode(fields)) << interval;
    EXPECT_EQ(decode(fields).error(), FrameInfoFault::kInterval);
  }
}

TEST(FrameInfo, ThePlatformsNoneIsUnknownNotAFault) {
  auto fields = info(12);
  fields[9] = kForever;
  fields[11] = -1;
  const auto times = decode(fields);
  ASSERT_TRUE(times);
  EXPECT_FALSE(is_known(times->deadline));
  EXPECT_EQ(times->interval, Duration::zero());
}

TEST(FrameInfo, AStartOutsideOfTheFrameIsIgnored) {
  auto fields = info(12);
  fields[5] = kNow + kNsPerMs;
  ASSERT_TRUE(decode(fields));
  EXPECT_FALSE(is_known(decode(fields)->ui_start));
}

TEST(FinishedTimes, AreTheGpusAndPlausible) {
  std::vector<std::int64_t> fields = info(12);
  fields.resize(25);
  fields[12 + 4] = kVsync + 5 * kNsPerMs;  // FrameCompleted says nothing of the GPU
  EXPECT_FALSE(is_known(decode_finished(fields, 12, instant_from_ns(kNow)).gpu_done));
  fields[12 + 7] = kVsync + 6 * kNsPerMs;
  const FinishedTimes times = decode_finished(fields, 12, instant_from_ns(kNow));
  EXPECT_EQ(to_ns(times.gpu_done), kVsync + 6 * kNsPerMs);
  EXPECT_EQ(to_ns(times.vsync), kVsync);
  EXPECT_FALSE(is_known(decode_finished(fields, 0, instant_from_ns(kNow)).gpu_done));
  for (const std::int64_t forged : {std::int64_t{-1}, kVsync, kNow + 1}) {
    fields[12 + 7] = forged;
    EXPECT_FALSE(is_known(decode_finished(fields, 12, instant_from_ns(kNow)).gpu_done)) << forged;
  }
}

}  // namespace
}  // namespace framegov

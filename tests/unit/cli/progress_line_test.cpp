// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <gtest/gtest.h>

namespace framegov::cli {
namespace {

using std::chrono::seconds;

TEST(ProgressLine, RoundsTimesUpToWhatPeopleRead) {
  EXPECT_EQ(rough_time(seconds{0}), "0 s");
  EXPECT_EQ(rough_time(-seconds{5}), "0 s");
  EXPECT_EQ(rough_time(std::chrono::milliseconds{2100}), "3 s");
  EXPECT_EQ(rough_time(seconds{31}), "40 s");
  EXPECT_EQ(rough_time(seconds{61}), "2 min");
  EXPECT_EQ(rough_time(seconds{3600}), "60 min");
  EXPECT_EQ(rough_time(seconds{3601}), "1 h 1 min");
  EXPECT_EQ(rough_time(seconds{7 * 3600 + 150}), "7 h 3 min");
}

TEST(ProgressLine, SaysWhatIsLeftOnceItCanBeKnown) {
  EXPECT_EQ(progress_text(0, seconds{60}), "0 %");
  EXPECT_EQ(progress_text(0.5, std::chrono::milliseconds{500}), "50 %");
  EXPECT_EQ(progress_text(0.25, seconds{10}), "25 %, 30 s left");
  EXPECT_EQ(progress_text(0.1, seconds{60}), "10 %, 9 min left");
  EXPECT_EQ(progress_text(1, seconds{60}), "100 %");
  EXPECT_EQ(progress_text(7, seconds{60}), "100 %");
}

}  // namespace
}  // namespace framegov::cli

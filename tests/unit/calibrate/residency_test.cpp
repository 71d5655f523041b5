// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/residency.h"

#include <gmock/gmock.h>

namespace framegov::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

Cluster three_opps() {
  Cluster cluster;
  for (const int each : {300, 600, 1200}) {
    cluster.opps.push_back({mhz(each), Speed{each * 1e6}, {}});
  }
  return cluster;
}

TEST(Residency, AFrequencyCountsForTheOppNearestToIt) {
  EXPECT_EQ(nearest_opp(three_opps(), khz(0)), 0U);
  EXPECT_EQ(nearest_opp(three_opps(), khz(449'000)), 0U);
  EXPECT_EQ(nearest_opp(three_opps(), khz(451'000)), 1U);
  EXPECT_EQ(nearest_opp(three_opps(), khz(5'000'000)), 2U);
}

TEST(Residency, IsThePartOfTheTimeBetweenTwoLooks) {
  const OppTimes before = opp_times(three_opps(), "300000 1000\n600000 50\n1200000 7\n");
  EXPECT_THAT(before, ElementsAre(1000, 50, 7));
  const OppTimes now = opp_times(three_opps(), "1200000 7\n600000 145\n300000 1005\n");
  EXPECT_THAT(part_at(1, before, now), Optional(0.95));
  EXPECT_THAT(part_at(2, before, now), Optional(0.0));
}

TEST(Residency, RowsThatAreNoOppsCountForTheirNeighbours) {
  EXPECT_THAT(opp_times(three_opps(), "302400 3\n297600 4\n1190400 5\n"), ElementsAre(7, 0, 5));
}

TEST(Residency, SaysNothingWhereTheKernelDoesNot) {
  EXPECT_THAT(opp_times(three_opps(), "frequency time\n"), IsEmpty());
  const OppTimes times = {10, 20, 30};
  EXPECT_EQ(part_at(0, times, times), std::nullopt);  // no switch was counted
  EXPECT_EQ(part_at(0, {}, times), std::nullopt);     // the first look
  EXPECT_EQ(part_at(0, times, {0, 25, 30}), std::nullopt);
}

}  // namespace
}  // namespace framegov::calibrate

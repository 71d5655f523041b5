// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "sim/report/run_timeline.h"

namespace framegov::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, HoldsItsDataAndEveryMarkIsFilled) {
  const std::string page =
      sim::render_report({{"runs", nlohmann::json::array()}, {"note", "abc123"}});
  EXPECT_THAT(page, HasSubstr("abc123"));
  EXPECT_THAT(page, HasSubstr("uPlot"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Report, NoNameCanEndTheScriptElementThatHoldsIt) {
  const std::string page = sim::render_report({{"runs", {"</script><script>alert(1)</script>"}}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

CpuTopology one_cluster() {
  CpuTopology topology;
  Cluster cluster;
  cluster.cpus = 0b1111;
  cluster.opps.push_back({.frequency = mhz(600), .speed = {}, .active = {}});
  cluster.opps.push_back({.frequency = mhz(1800), .speed = {}, .active = {}});
  topology.clusters.push_back(cluster);
  return topology;
}

/// As many frames as asked for, and two changes of frequency in each.
RunTimeline timeline_of(const CpuTopology& topology, std::size_t frames) {
  RunTimeline timeline(topology, 1e-3);
  std::mt19937 random(1);  // what repeats would be packed to next to nothing
  for (std::size_t i = 0; i < frames; ++i) {
    PipelineFrame frame;
    frame.load.vsync = 16e6 * static_cast<double>(i);
    frame.load.deadline = frame.load.vsync + 16e6;
    frame.ready = frame.load.vsync + 1e4 * static_cast<double>(random() % 2000);
    timeline.on_frequency(frame.load.vsync, 0, 1);
    timeline.on_frequency(frame.load.vsync + 8e6, 0, 0);
    timeline.on_frame(frame, {.feasible = true, .late = i % 23 > 16});
  }
  return timeline;
}

TEST(RunTimeline, KeepsTheFirstFramesAndSaysHowManyThereWere) {
  const CpuTopology topology = one_cluster();
  const auto packed = timeline_of(topology, RunTimeline::kMostFrames + 5).pack(kMostTimelineBytes);
  EXPECT_EQ(packed["frames"], RunTimeline::kMostFrames);
  EXPECT_EQ(packed["of"], RunTimeline::kMostFrames + 5);
  EXPECT_EQ(packed["clusters"][0]["name"], "policy0 (CPUs 0-3)");
}

TEST(RunTimeline, LeavesOutLastFramesUntilItFits) {
  const CpuTopology topology = one_cluster();
  const RunTimeline timeline = timeline_of(topology, 1000);
  const auto all = timeline.pack(kMostTimelineBytes);
  ASSERT_EQ(all["frames"], 1000U);
  const std::size_t half = all["packed"].get<std::string>().size() / 2;
  const auto fewer = timeline.pack(half);
  EXPECT_LE(fewer["packed"].get<std::string>().size(), half);
  EXPECT_LT(fewer["frames"], 1000U);
  EXPECT_GT(fewer["frames"], 300U);
  EXPECT_LT(fewer["clusters"][0]["points"], all["clusters"][0]["points"]);
  EXPECT_EQ(timeline.pack(1)["frames"], 0U);
}

TEST(RunTimeline, TimesBeyondAllBoundsAreHeldWithinThem) {
  const CpuTopology topology = one_cluster();
  RunTimeline timeline(topology, 1e-3);
  PipelineFrame frame;
  for (const double ready : {-1e300, 1e300, -1e300}) {  // a sanitizer sees a step that overflows
    frame.ready = ready;
    timeline.on_frame(frame, {});
  }
  EXPECT_EQ(timeline.pack(kMostTimelineBytes)["frames"], 3U);
}

TEST(RunTimeline, AClusterThatNeverChangesHasItsFrequency) {
  const CpuTopology topology = one_cluster();
  RunTimeline timeline(topology, 1e-3);
  timeline.on_frame({}, {});
  EXPECT_EQ(timeline.pack(kMostTimelineBytes)["clusters"][0]["points"], 1U);
}

TEST(Report, BrokenUtf8IsReplacedAndNotThrown) {
  EXPECT_NO_THROW(static_cast<void>(sim::render_report({{"runs", {"\xff\xfe"}}})));
}

}  // namespace
}  // namespace framegov::sim

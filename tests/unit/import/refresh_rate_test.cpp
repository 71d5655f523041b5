// SPDX-License-Identifier: Apache-2.0
// What tells the screen's refresh rate: traces of screens whose rate is known, made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::at_one_gigahertz;
using test::hwui_frame;
using test::kGameTid;
using test::kUiTid;
using test::PacedTrace;
using test::workload_of;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

/// A game that asks for no vsync: what tells of the screen, `tell` adds for each frame.
template <class Tell>
PacedTrace game_at(double fps, Tell&& tell) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 120; ++i) {
    const double begin = i * 1000 / fps;
    trace.run(begin, begin + 3.1, 0, kGameTid);
    trace.slice(begin + 2.9, begin + 3, kGameTid, "queueBuffer");
    tell(trace, i, begin + 3.5);
  }
  return trace;
}

void expect_rate(const Workload& workload, double hz) {
  ASSERT_FALSE(workload.frames.empty()) << hz;
  EXPECT_NEAR(to_seconds(workload.interval), 1 / hz, 1e-6) << hz;
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_NEAR(to_seconds(frame.interval), 1 / hz, 1e-6) << hz;
  }
  EXPECT_THAT(workload.notes, Not(Contains(HasSubstr("the refresh rate is not recorded"))));
}

TEST(RefreshRate, TheCompositorsVsyncsTellAGamesScreen) {
  for (const double hz : {60.0, 90.0, 120.0, 144.0}) {
    const PacedTrace trace = game_at(hz, [](PacedTrace& to, int i, double at) {
      to.print(at, 500, "C|500|VSYNC-sf|" + std::to_string(i % 2));
    });
    expect_rate(workload_of(trace), hz);
  }
}

TEST(RefreshRate, IsTheScreensWhereVsyncsJitter) {
  for (const double hz : {60.0, 90.0, 120.0}) {
    std::mt19937 random(1);
    std::normal_distribution<double> jitter(0, 0.4);
    const PacedTrace trace = game_at(hz, [&](PacedTrace& to, int i, double at) {
      to.print(at + jitter(random), 500, "C|500|VSYNC-sf|" + std::to_string(i % 2));
    });
    for (const WorkloadFrame& frame : workload_of(trace).frames) {
      EXPECT_NEAR(to_seconds(frame.interval) * hz, 1, 0.04) << hz;
    }
  }
}

TEST(RefreshRate, APhaseThatMovesIsNoOtherRate) {
  for (const int every : {3, 8}) {
    const PacedTrace trace = game_at(60, [&](PacedTrace& to, int i, double at) {
      const double early = i / every % 2 == 0 ? 0 : 4;
      to.print(at - early, 500, "C|500|VSYNC-sf|" + std::to_string(i % 2));
    });
    expect_rate(workload_of(trace), 60);
  }
}

TEST(RefreshRate, TheDisplaysFramesTellAGamesScreen) {
  for (const double hz : {60.0, 90.0, 120.0, 144.0}) {
    const PacedTrace trace =
        game_at(hz, [&](PacedTrace& to, int /*i*/, double at) { to.displayed(at, at + 800 / hz); });
    expect_rate(workload_of(trace), hz);
  }
}

TEST(RefreshRate, NoScreenIsTakenForSlowerThanAGamesBuffers) {
  for (const auto& [fps, hz] :
       {std::pair{20.0, 60}, {30.0, 60}, {59.0, 60}, {61.0, 60}, {80.0, 90}, {144.0, 144}}) {
    const Workload workload = workload_of(game_at(fps, [](PacedTrace&, int, double) {}));
    EXPECT_NEAR(to_seconds(workload.interval), 1.0 / hz, 1e-6) << fps;
    EXPECT_THAT(workload.notes, Contains("the refresh rate is not recorded: assuming " +
                                         std::to_string(hz) + " Hz"));
  }
}

TEST(RefreshRate, ScreensMayHaveAnyRate) {
  for (const double hz : {52.0, 61.5, 66.0, 69.0, 84.0, 110.0, 155.0, 160.0, 180.0, 185.0, 240.0}) {
    for (const bool is_told_of_frames : {false, true}) {
      PacedTrace trace = at_one_gigahertz();
      for (int i = 0; i < 60; ++i) {
        const double vsync = i * 1000 / hz;
        hwui_frame(trace, vsync, i);
        if (is_told_of_frames) {
          trace.expected(vsync, vsync + 900 / hz, kUiTid, 1000 + static_cast<std::uint64_t>(i));
        }
      }
      expect_rate(workload_of(trace), hz);
    }
  }
}

TEST(RefreshRate, TimesThatJitterCrowdAroundTheTrueOne) {
  constexpr double kHz = 90;
  std::mt19937 random(1);
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 600; ++i) {
    hwui_frame(trace, i * 1000 / kHz + static_cast<double>(random() % 1500) / 1000, i);
  }
  EXPECT_NEAR(1 / to_seconds(workload_of(trace).interval), kHz, kHz * 0.03);
}

TEST(RefreshRate, AnAppAtEveryOtherRefreshDoesNotHalveIt) {
  PacedTrace trace = at_one_gigahertz();
  for (int i = 0; i < 60; ++i) {
    hwui_frame(trace, i * 1000.0 / 30, i);
  }
  const Workload workload = workload_of(trace);
  EXPECT_NEAR(to_seconds(workload.interval), 1.0 / 60, 1e-6);
}

}  // namespace
}  // namespace framegov::sim

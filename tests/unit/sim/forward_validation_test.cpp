// SPDX-License-Identifier: Apache-2.0
#include "sim/run/forward_validation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/run/recorded_replay.h"
#include "sim/workload/recorded_phone.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t kStart = 7'000'000'000'000;

Instant at_ms(int ms) { return instant_from_ns(kStart) + milliseconds{ms}; }

/// One app on one cluster at 500 MHz, without frames.
Workload recording() {
  Workload workload;
  workload.source = "test";
  workload.has_work = true;
  workload.interval = milliseconds{10};
  workload.reference.max_frequency = mhz(1000);
  workload.clusters.push_back({0, 0x3, mhz(1000), 1.0});
  workload.apps.push_back({"app", 1});
  workload.frequencies = {{at_ms(-5), 0, mhz(500)}};
  return workload;
}

/// A frame that the UI thread takes up at its vsync, with a quarter of its work there. At 500 MHz
/// it takes two thousandths of a us for each cycle.
WorkloadFrame& add_frame(Workload& workload, int vsync_ms, double cycles, int ready_ms) {
  WorkloadFrame frame;
  frame.vsync = at_ms(vsync_ms);
  frame.interval = milliseconds{10};
  frame.deadline = frame.vsync + frame.interval;
  frame.start = frame.vsync;
  frame.ui.work = Work{cycles / 4};
  frame.render.work = Work{cycles * 3 / 4};
  frame.ui.cluster = 0;
  frame.render.cluster = 0;
  frame.ready = frame.vsync + milliseconds{ready_ms};
  return workload.frames.emplace_back(frame);
}

TEST(ForwardValidation, SteadyFramesAreForetold) {
  Workload workload = recording();
  for (int i = 0; i < 40; ++i) {
    add_frame(workload, 20 * i, 4e6, 8);
  }
  const auto result = validate_forward(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  EXPECT_EQ(result->frames, 40U);
  EXPECT_NEAR(result->mean().recorded.p95_ms, 8, 1e-9);
  EXPECT_NEAR(result->mean().p95_error(), 0, 1e-6);
  EXPECT_NEAR(result->fixed.p95_error(), 0, 1e-6);
  EXPECT_EQ(result->mean().late_error(), 0);
  EXPECT_NEAR(result->range(&Halving::p95_between).to, 0, 1e-9);
}

TEST(ForwardValidation, WorkIsDrawnWithTheSpeedThatThePhoneGaveIt) {
  // Every third frame has twice the work, and the phone ran it at twice the frequency: 8 ms each.
  // A heavy frame's work at a light one's frequency would take 16 ms, which no frame ever took.
  Workload workload = recording();
  workload.frequencies.clear();
  for (int i = 0; i < 48; ++i) {
    const bool heavy = i % 3 == 0;
    workload.frequencies.push_back({at_ms(20 * i - 5), 0, mhz(heavy ? 1000 : 500)});
    add_frame(workload, 20 * i, heavy ? 8e6 : 4e6, 8);
  }
  const auto result = validate_forward(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->mean().predicted.p95_ms, 8, 1e-6);
  EXPECT_NEAR(result->fixed.predicted.p95_ms, 8, 1e-6);
}

TEST(ForwardValidation, ComparesDistributionsOfTheUnknownHalf) {
  // The first and the third run of eight frames take 15 ms, the others 5: what is known says
  // nothing of the rest. Late: all of the known, none of the unknown.
  Workload workload = recording();
  for (int i = 0; i < 32; ++i) {
    const bool slow = i / 8 % 2 == 0;
    add_frame(workload, 20 * i, slow ? 7.5e6 : 2.5e6, slow ? 15 : 5);
  }
  const auto result = validate_forward(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  const Halving& fixed = result->fixed;
  EXPECT_NEAR(fixed.recorded.p95_ms, 5, 1e-9);
  EXPECT_NEAR(fixed.predicted.p95_ms, 15, 1e-6);
  EXPECT_NEAR(fixed.known.p95_ms, 15, 1e-9);
  EXPECT_NEAR(fixed.p95_error(), 2, 1e-6);
  EXPECT_NEAR(fixed.p95_between(), 2, 1e-9);
  EXPECT_NEAR(fixed.late_error(), 1, 1e-9);
  EXPECT_NEAR(fixed.late_between(), 1, 1e-9);
  // The other way round as often: from -2/3 to 2.
  EXPECT_NEAR(result->range(&Halving::p95_between).from, 5.0 / 15 - 1, 1e-9);
  EXPECT_NEAR(result->range(&Halving::p95_between).to, 2, 1e-9);
}

TEST(ForwardValidation, AHeavyFrameComesWithThoseThatItMadeLateAndTheVsyncsThatItCost) {
  // One frame in six takes 24 ms on a display of 10. The one behind it waits for RenderThread, then
  // the app leaves two vsyncs out. The recording is what the plant makes of that.
  Workload workload = recording();
  std::uint64_t state = 5;
  for (int i = 0, vsync = 0; i < 240; ++i, vsync += 10) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const bool heavy = (state >> 33) % 6 == 0;
    add_frame(workload, vsync, heavy ? 12e6 : 2e6, 1);
    vsync += heavy ? 20 : 0;
  }
  const DeviceModel power = test::two_speed_phone();
  const auto phone = recorded_phone(workload, power);
  ASSERT_TRUE(phone.has_value());
  const std::vector<PipelineFrame> done = replay_recorded(workload, *phone).frames;
  for (std::size_t i = 0; i < done.size(); ++i) {
    WorkloadFrame& frame = workload.frames[i];
    const auto after = [&](double ns) {
      return frame.vsync + Duration{static_cast<Duration::rep>(ns - done[i].load.vsync)};
    };
    frame.start = after(done[i].start);
    frame.ui_done = after(done[i].ui_done);
    frame.ready = after(done[i].ready);
  }
  const auto result = validate_forward(workload, power);
  ASSERT_TRUE(result.has_value());
  EXPECT_GT(result->mean().recorded.late, 0.1);
  EXPECT_NEAR(result->mean().late_error(), 0, 0.03);
  EXPECT_NEAR(result->mean().p95_error(), 0, 0.1);
}

TEST(ForwardValidation, AppsOfFewerThanFourRunsAreLeftOut) {
  Workload workload = recording();
  workload.apps.push_back({"other", 2});
  for (int i = 0; i < 32; ++i) {
    add_frame(workload, 20 * i, 4e6, 8);
    if (i < 31) {
      add_frame(workload, 20 * i + 1, 4e6, 30).app = 1;
    }
  }
  const auto result = validate_forward(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->frames, 32U);
  EXPECT_EQ(result->mean().recorded.late, 0);
  workload.frames.erase(workload.frames.begin());
  const auto none = validate_forward(workload, test::two_speed_phone());
  ASSERT_FALSE(none.has_value());
  EXPECT_NE(none.error().to_string().find("too few frames"), std::string::npos);
  workload.has_work = false;
  EXPECT_FALSE(validate_forward(workload, test::two_speed_phone()).has_value());
}

TEST(ForwardValidation, TheJsonHasWhatTheTextSays) {
  ForwardValidation forward;
  forward.frames = 64;
  forward.fixed = {{0.1, 10}, {0.2, 11}, {0.3, 12}};
  forward.drawn = {{{0.1, 10}, {0.1, 9}, {0.1, 15}}, {{0.3, 20}, {0.3, 21}, {0.3, 10}}};
  EXPECT_EQ(to_json(forward).dump(), nlohmann::json::parse(R"({"frames": 64,
    "late": {"recorded": 0.2, "predicted": 0.2}, "p95_ms": {"recorded": 15.0, "predicted": 15.0},
    "every_other": {"late": {"recorded": 0.1, "predicted": 0.2},
                    "p95_ms": {"recorded": 10.0, "predicted": 11.0}},
    "halves_p95": [-0.5, 0.5]})")
                                         .dump());
  std::ostringstream text;
  print_forward(text, forward);
  EXPECT_NE(text.str().find("p95 11.00 ms, recorded 10.00 ms (+10.0 %)"), std::string::npos)
      << text.str();
  EXPECT_NE(text.str().find("-50.0 to +50.0 % at p95"), std::string::npos) << text.str();
}

}  // namespace
}  // namespace framegov::sim

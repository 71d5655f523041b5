// SPDX-License-Identifier: Apache-2.0
#include "sim/run/validate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/devices/device_catalog.h"
#include "sim/import/import.h"
#include "tests/support/shared_data.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

constexpr std::int64_t kStart = 7'000'000'000'000;

Instant at_ms(double ms) { return instant_from_ns(kStart + static_cast<std::int64_t>(ms * 1e6)); }

/// Four frames of 4 million cycles each (UI thread 1, RenderThread 3) on one cluster that runs at
/// 500 MHz and from 58 ms on at 1000 MHz; UI threads start 1 ms after vsync.
Workload recording() {
  Workload workload;
  workload.source = "test";
  workload.has_work = true;
  workload.reference.max_frequency = mhz(1000);
  workload.clusters.push_back({0, 0x3, mhz(1000), 1.0});
  workload.apps.push_back({"app", 1});
  workload.frequencies = {{at_ms(-5), 0, mhz(500)}, {at_ms(58), 0, mhz(1000)}};
  for (int i = 0; i < 4; ++i) {
    WorkloadFrame frame;
    frame.vsync = at_ms(20 * i);
    frame.interval = std::chrono::milliseconds{10};
    frame.deadline = frame.vsync + frame.interval;
    frame.start = frame.vsync + std::chrono::milliseconds{1};
    frame.ui.work = Work{1e6};
    frame.render.work = Work{3e6};
    frame.ui.cluster = 0;
    frame.render.cluster = 0;
    frame.ready = frame.vsync + std::chrono::milliseconds{i < 3 ? 9 : 5};
    workload.frames.push_back(frame);
  }
  return workload;
}

TEST(Validate, APerfectRecordingIsPredictedPerfectly) {
  const auto result = validate(recording(), test::two_speed_phone());
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  ASSERT_EQ(result->frames.size(), 4U);
  EXPECT_DOUBLE_EQ(result->dispatch_ms, 1);
  for (const ValidatedFrame& frame : result->frames) {
    EXPECT_NEAR(frame.predicted_ms, frame.recorded_ms, 1e-5);
  }
  EXPECT_EQ(result->frames[1].held_out, true);
  EXPECT_NEAR(result->error(0.9), 0, 1e-5);
  EXPECT_NEAR(*result->usual_start_error(0.9), 0, 1e-5);
}

TEST(Validate, AFrameStartsAsRecordedAndTheUsualStartIsFittedOnOthers) {
  Workload workload = recording();
  workload.frames[1].start += std::chrono::milliseconds{2};
  workload.frames[1].ready += std::chrono::milliseconds{2};
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->error(1), 0, 1e-5);
  EXPECT_DOUBLE_EQ(result->dispatch_ms, 1);
  EXPECT_NEAR(result->frames[1].usual_start_ms, 9, 1e-5);
  EXPECT_NEAR(*result->usual_start_error(1), 2.0 / 11, 1e-5);
}

TEST(Validate, ABufferIsShownWhenTheCompositorsVsyncComesNotTheApps) {
  Workload workload = recording();
  workload.frequencies.resize(1);
  workload.frames.resize(1);
  for (int i = 1; i < 6; ++i) {
    workload.frames.push_back(workload.frames[0]);
    workload.frames.back().vsync += i * std::chrono::milliseconds{20};
  }
  for (std::size_t i = 0; i < workload.frames.size(); ++i) {
    WorkloadFrame& frame = workload.frames[i];
    frame.interval = std::chrono::milliseconds{20};
    frame.start = frame.vsync + std::chrono::milliseconds{2};
    frame.ui.work = Work{2e6};
    frame.render.work = Work{8e6};
    // From the third on each waits for the buffer of the third before it: that is given back when
    // the next is shown, at 48 ms and not at 60, and so on.
    frame.ready = frame.vsync + std::chrono::milliseconds{i < 2 ? 22 : 24};
    frame.deadline = frame.vsync + std::chrono::milliseconds{28};
    frame.deadline_edge = DeadlineEdge::kPlatform;
  }
  workload.frames[0].gpu = std::chrono::milliseconds{19};  // too late for the one at 28 ms
  workload.frames[0].ready += workload.frames[0].gpu;
  Workload without_gpu_time = workload;
  without_gpu_time.frames[0].ready -= workload.frames[0].gpu;
  without_gpu_time.frames[0].gpu = {};
  without_gpu_time.frames[0].taken_late = 1;
  for (const Workload& each : {workload, without_gpu_time}) {
    const auto result = validate(each, test::two_speed_phone());
    ASSERT_TRUE(result.has_value());
    for (const ValidatedFrame& frame : result->frames) {
      EXPECT_NEAR(frame.predicted_ms, frame.recorded_ms, 1e-5) << frame.at_ms;
    }
  }
}

TEST(Validate, AWaitThatTheFrequencyRoseInIsWhereItWas) {
  Workload workload = recording();
  // 1 ms of the UI thread's 2 ms of work at 500 MHz, a wait of 3 ms in which the cluster becomes
  // twice as fast, the rest at 1000 MHz.
  workload.frequencies = {{at_ms(-5), 0, mhz(500)}, {at_ms(3), 0, mhz(1000)}};
  workload.frames.resize(1);
  WorkloadFrame& frame = workload.frames[0];
  frame.ui.fixed = std::chrono::milliseconds{3};
  frame.ui.wait_ns = 3'000'000;
  frame.ui.wait_after = 50;
  frame.ready = frame.vsync + std::chrono::microseconds{1000 + 1000 + 3000 + 500 + 3000};
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->error(1), 0, 1e-5);
}

TEST(Validate, ErrorsOfAFittedStartAreOfHeldOutFramesOnly) {
  Workload workload = recording();
  workload.frames[0].ready += std::chrono::milliseconds{50};  // used to fit
  workload.frames[1].ready += std::chrono::milliseconds{1};   // 9 predicted, 10 recorded
  workload.frames[1].jank = kJankNone;
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(*result->usual_start_error(0.9), 0.1, 1e-5);
  EXPECT_NEAR(*result->usual_start_error(0.5), 0, 1e-5);
  EXPECT_NEAR(result->error(0.75), 0.1, 1e-5);
  EXPECT_NEAR(result->error(1), 50.0 / 59, 1e-5);
  EXPECT_TRUE(result->frames[0].recorded_late);
  EXPECT_FALSE(result->frames[0].predicted_late);
  EXPECT_EQ(result->frames[1].platform_late, false);
}

TEST(Validate, ABufferBehindALateOneIsShownLateAsThePlatformSaysOfTheQueue) {
  // At 500 MHz the first frame's RenderThread is done at 15 ms, late: shown at 20 ms. The second is
  // done at 17 ms, before its deadline, and shown at 30. A label that the platform has not made up
  // its mind about is none.
  Workload workload = recording();
  workload.frequencies = {{at_ms(-5), 0, mhz(500)}};
  workload.frames.resize(3);
  const double render[] = {6e6, 1e6, 1e6};
  const double ready[] = {15, 7, 5};
  const std::uint16_t labels[] = {kJankAppDeadlineMissed, kJankBufferStuffing, kJankUnknown};
  for (std::size_t i = 0; i < 3; ++i) {
    WorkloadFrame& frame = workload.frames[i];
    frame.vsync = at_ms(i == 2 ? 60 : 10.0 * static_cast<double>(i));
    frame.deadline = frame.vsync + frame.interval;
    frame.start = frame.vsync + std::chrono::milliseconds{1};
    frame.render.work = Work{render[i]};
    frame.ready = at_ms((i == 2 ? 60 : 10.0 * static_cast<double>(i)) + ready[i]);
    frame.jank = labels[i];
  }
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->error(1), 0, 1e-5);
  EXPECT_FALSE(result->frames[1].predicted_late);
  EXPECT_TRUE(result->frames[1].predicted_shown_late);
  EXPECT_EQ(result->counts().labelled, 2U);
  EXPECT_EQ(result->counts().late_as_labelled, 2U);
}

TEST(Validate, ComparesEnergyWithTheCpuRails) {
  Workload workload = recording();
  workload.rails = {"S4M_VDD_CPUCL0", "S1M_VDD_MODEM"};
  workload.rail_samples = {
      {at_ms(-10), 0, 100}, {at_ms(-10), 1, 5}, {at_ms(90), 0, 101}, {at_ms(90), 1, 9}};
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->rails, "S4M_VDD_CPUCL0");
  ASSERT_TRUE(result->rails_cpu_mj.has_value());
  EXPECT_NEAR(*result->rails_cpu_mj, result->seconds * 1e3 / 100, 1e-9);
  // Three frames of 8 ms busy at 500 MHz, one of 4 ms at 1000 MHz. Neither the gaps between them
  // nor the ms before each UI thread is dispatched cost anything: its core sleeps.
  const double expected = (3 * 8 * 110 + 4 * 420) / 1e3;
  EXPECT_NEAR(result->predicted_cpu_mj, expected, 1e-6);
}

TEST(Validate, RailsAreComparedOverTheTimeThatTheyWereSampled) {
  Workload workload = recording();
  workload.rails = {"VDD_CPU"};
  // Neither the first frame nor the last is within the samples.
  workload.rail_samples = {{at_ms(15), 0, 100}, {at_ms(65), 0, 105}};
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(result->rails_cpu_mj.has_value());
  EXPECT_NEAR(result->seconds, 0.030, 1e-9);  // from 20 ms to 50 ms
  EXPECT_NEAR(*result->rails_cpu_mj, 3, 1e-9);
  EXPECT_NEAR(result->predicted_cpu_mj, 2 * 8 * 110 / 1e3, 1e-6);
  workload.rail_samples = {{at_ms(5), 0, 100}, {at_ms(15), 0, 101}};
  const auto none = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->rails_cpu_mj.has_value());
  EXPECT_NEAR(none->seconds, 0.070, 1e-9);
}

TEST(Validate, EnergyOfAppsThatDrawAtOnceIsOverTheRecordingsTime) {
  Workload workload = recording();
  workload.apps.push_back({"other", 2});
  for (int i = 0; i < 4; ++i) {
    WorkloadFrame frame = workload.frames[2 * static_cast<std::size_t>(i)];
    frame.app = 1;
    workload.frames.insert(workload.frames.begin() + 2 * i + 1, frame);
  }
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->frames.size(), 8U);
  EXPECT_NEAR(result->seconds, 0.070, 1e-9);
}

TEST(Validate, BeforeItsFirstChangeAClusterHasThatFrequency) {
  Workload workload = recording();
  workload.frequencies.front().at = at_ms(30);
  const auto result = validate(workload, test::two_speed_phone());
  ASSERT_TRUE(result.has_value());
  EXPECT_NEAR(result->error(1), 0, 1e-5);
}

/// Frames of 4 ms of UI thread and 8 ms of RenderThread, at 10 ms, on a phone whose one CPU runs
/// both. `at_once`: the next UI thread begins at its vsync and takes turns with RenderThread;
/// otherwise it begins when that is done.
Workload of_one_cpu(bool at_once) {
  Workload workload = recording();
  workload.clusters[0].cpus = 0x1;
  workload.frequencies = {{at_ms(-5), 0, mhz(1000)}};
  workload.frames.clear();
  double cpu_free = 0;
  for (int i = 0; i < 3; ++i) {
    const double vsync = 10 * i;
    WorkloadFrame frame;
    frame.vsync = at_ms(vsync);
    frame.interval = std::chrono::milliseconds{10};
    frame.deadline = frame.vsync + frame.interval;
    const double begin = std::max(vsync, cpu_free);
    const double start = at_once ? vsync : begin;
    frame.start = at_ms(start);
    frame.ui_done = at_ms(begin + 4);
    frame.ready = at_ms(begin + 12);
    frame.ui.work = Work{4e6};
    frame.ui.fixed = std::chrono::nanoseconds{static_cast<std::int64_t>((begin - start) * 1e6)};
    frame.render.work = Work{8e6};
    frame.ui.cluster = frame.render.cluster = 0;
    frame.ui.cpu = frame.render.cpu = 0;
    workload.frames.push_back(frame);
    cpu_free = begin + 12;
  }
  return workload;
}

TEST(Validate, AWaitForTheOnlyCpuIsNotCountedTwice) {
  for (const bool at_once : {false, true}) {
    const Workload workload = of_one_cpu(at_once);
    const auto result = validate(workload, test::two_speed_phone(0, "[0]"));
    ASSERT_TRUE(result.has_value());
    ASSERT_EQ(result->frames.size(), 3U);
    EXPECT_NEAR(result->frames[2].recorded_ms, 16, 1e-9);
    EXPECT_NEAR(result->error(1), 0, 1e-3) << at_once;
    if (at_once) {  // all started at their vsync
      EXPECT_NEAR(*result->usual_start_error(1), 0, 1e-3);
    }
  }
}

TEST(Validate, RefusesWhatCannotBeValidated) {
  Workload no_work = recording();
  no_work.has_work = false;
  const auto refused = validate(no_work, test::two_speed_phone());
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().hint.find("sched_switch"), std::string::npos);
  EXPECT_FALSE(require_work(no_work));
  EXPECT_TRUE(require_work(recording()));
  Workload no_times = recording();
  for (WorkloadFrame& frame : no_times.frames) {
    frame.ready = {};
  }
  EXPECT_FALSE(validate(no_times, test::two_speed_phone()).has_value());
}

TEST(Validate, ARealRecordingIsPredicted) {
  FRAMEGOV_REQUIRE_DATA(trace, "traces/api32_startup_warm.perfetto-trace");
  const auto workload = import_workload(trace);
  ASSERT_TRUE(workload.has_value()) << workload.error().to_string();
  const auto catalog = DeviceCatalog::load();
  const auto result = validate(*workload, **catalog->find("tensor_g1"));
  ASSERT_TRUE(result.has_value()) << result.error().to_string();
  EXPECT_GE(result->frames.size(), 6U);
  EXPECT_LT(result->error(0.5), 0.02);
  EXPECT_LT(result->error(1), 0.15);
  EXPECT_LT(*result->usual_start_error(0.5), 0.15);
  ASSERT_TRUE(result->rails_cpu_mj.has_value());
  EXPECT_GT(*result->rails_cpu_mj, 0);
  std::ostringstream text;
  print_validation(text, *result);
  EXPECT_NE(text.str().find("held out"), std::string::npos);
}

TEST(Validate, TheJsonHasWhatTheTextSays) {
  Validation validation;
  validation.frames = {{.app = "a", .recorded_ms = 10, .predicted_ms = 11, .platform_late = true},
                       {.app = "a",
                        .recorded_ms = 10,
                        .predicted_ms = 12,
                        .usual_start_ms = 15,
                        .held_out = true,
                        .recorded_late = true,
                        .predicted_late = true,
                        .predicted_shown_late = true,
                        .platform_late = true,
                        .taken_as_recorded = true},
                       {.app = "a",
                        .recorded_ms = 10,
                        .predicted_ms = 10,
                        .predicted_late = true,
                        .taken_as_recorded = false}};
  validation.dispatch_ms = 1.5;
  validation.seconds = 4;
  validation.predicted_cpu_mj = 90;
  EXPECT_EQ(to_json(validation), nlohmann::json::parse(R"({
    "frames": 3, "seconds": 4.0, "generation_error": {"p50": 0.1, "p90": 0.2},
    "usual_start": {"frames": 1, "dispatch_ms": 1.5, "generation_error": {"p50": 0.5, "p90": 0.5}},
    "late": {"as_recorded": 2, "labelled": 2, "as_labelled": 1},
    "buffers": {"counted": 2, "taken_as_recorded": 1},
    "cpu_mj": {"predicted": 90.0, "rails": null, "predicted_over_rails": null}})"));
  validation.frames.pop_back();
  validation.frames.pop_back();
  validation.rails_cpu_mj = 100;
  EXPECT_EQ(to_json(validation)["usual_start"], nullptr);
  EXPECT_EQ(to_json(validation)["cpu_mj"]["predicted_over_rails"], 0.9);
}

}  // namespace
}  // namespace framegov::sim

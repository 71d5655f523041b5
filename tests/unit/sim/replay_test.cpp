// SPDX-License-Identifier: Apache-2.0
#include "sim/run/replay.h"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <vector>

#include "sim/devices/device_catalog.h"
#include "sim/results/scene_bounds.h"
#include "sim/results/scorecard.h"
#include "tests/support/allocation_counter.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

ReplayInput synthetic(const std::string& spec, std::uint64_t seed = 1) {
  SyntheticSettings settings = *parse_synthetic(spec);
  settings.seed = seed;
  return {spec, settings};
}

std::vector<ReplayDevice> devices(std::initializer_list<const char*> names) {
  const auto catalog = DeviceCatalog::load();
  std::vector<ReplayDevice> all;
  for (const char* name : names) {
    all.emplace_back(**catalog->find(name), EnergyModel::kExact);
  }
  return all;
}

/// An app whose work is that of the phone's own fastest core.
std::shared_ptr<Workload> one_app_on(const ReplayDevice& phone) {
  auto workload = std::make_shared<Workload>();
  workload->reference.coremark_per_mhz = phone.tables.reference_coremark;
  workload->apps.emplace_back();
  return workload;
}

WorkloadFrame frame_at_60_hz() {
  WorkloadFrame frame;
  frame.interval = std::chrono::nanoseconds{16'666'667};
  frame.vsync = instant_from_ns(5'000'000'000);
  return frame;
}

bool same(const PlantTotals& a, const PlantTotals& b) {
  return a.frames == b.frames && a.missed == b.missed && a.janky == b.janky &&
         a.writes == b.writes && a.transitions == b.transitions && a.energy_mj() == b.energy_mj();
}

TEST(Replay, IsTheSameWhateverTheThreads) {
  const std::vector<ReplayInput> inputs{synthetic("synthetic:scroll@60:5s"),
                                        synthetic("synthetic:fling@120:5s", 7)};
  const auto phones = devices({"tensor_g1", "sm8250"});
  const std::vector<const PolicyEntry*> policies{*find_policy("schedutil"), *find_policy("pid")};
  std::atomic<std::size_t> done{0};
  const auto alone = replay_all(inputs, phones, policies, {}, 1, done);
  const auto together = replay_all(inputs, phones, policies, {}, 4, done);
  ASSERT_EQ(alone.size(), 8U);
  EXPECT_EQ(done, 16U);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(alone[i].policy, together[i].policy);
    EXPECT_TRUE(same(alone[i].totals, together[i].totals)) << i;
  }
}

TEST(Replay, SpeedsAreOrderedAsTheyMustBe) {
  const auto phones = devices({"tensor_g1"});
  for (const char* spec : {"synthetic:scroll@60:20s", "synthetic:fling@90:20s"}) {
    const ReplayScene scene(synthetic(spec), phones[0], DeadlineMode::kStrict);
    const auto run = [&](const char* policy) { return replay(scene, **find_policy(policy), {}); };
    const RunResult top = run("performance");
    const RunResult low = run("powersave");
    const RunResult kernel = run("schedutil");
    const RunResult boost = run("schedutil-boost");
    EXPECT_EQ(top.totals.missed, 0U);
    EXPECT_EQ(top.totals.late + top.totals.feasible, top.totals.frames);
    EXPECT_GT(top.totals.energy_mj(), kernel.totals.energy_mj());
    EXPECT_GE(low.totals.late, kernel.totals.late);
    EXPECT_LE(boost.totals.missed, kernel.totals.missed);
    EXPECT_GT(boost.totals.energy_mj(), kernel.totals.energy_mj());
  }
}

TEST(Replay, FullSpeedMissesNothingThatFullSpeedWouldMeet) {
  // One CPU in the fastest cluster, and more frames than it can make in time.
  const auto phones = devices({"sdm660"});
  SyntheticSettings heavy = *parse_synthetic("synthetic:scroll@144:30s");
  heavy.median_ms = 4;
  heavy.deviation = 0.35;
  const ReplayScene scene({"heavy", heavy}, phones[0], DeadlineMode::kStrict);
  const PlantTotals totals = replay(scene, **find_policy("performance"), {}).totals;
  EXPECT_GT(totals.late, 100U);
  EXPECT_LE(totals.missed, 1U);  // the first frame begins before the speed is there
}

TEST(Replay, MpcUsesABufferedFramesTimeAndIsNotLateForIt) {
  ReplaySettings settings;
  settings.plant.drop_late = true;
  // Where both threads share the only CPU of their cluster, and where they do not.
  for (const ReplayDevice& phone : devices({"tensor_g1", "tensor_g4"})) {
    for (const char* spec : {"synthetic:scroll@60:30s", "synthetic:mixed@90:30s"}) {
      // Heavier than apps are, so that no frame is in time at the lowest speed.
      SyntheticSettings heavy = *parse_synthetic(spec);
      heavy.median_ms = 0.28 * 1e3 / heavy.refresh_hz;
      heavy.deviation = 0.35;
      const auto run = [&](DeadlineMode deadline) {
        settings.deadline = deadline;
        return replay(ReplayScene({spec, heavy}, phone, deadline), **find_policy("mpc"), settings)
            .totals;
      };
      const PlantTotals in_time = run(DeadlineMode::kStrict);
      const PlantTotals buffered = run(DeadlineMode::kBuffered);
      EXPECT_LT(buffered.energy_mj(), 0.9 * in_time.energy_mj()) << phone.name << " " << spec;
      EXPECT_LE(buffered.missed * 100, buffered.feasible) << phone.name << " " << spec;
    }
  }
}

TEST(Replay, FramesThatTheSchedulerMovesAreNoReasonForMoreSpeed) {
  const auto phones = devices({"tensor_g1"});
  const auto play = [&](const char* policy, int moved_every) {
    const auto workload = one_app_on(phones[0]);
    workload->clusters = {
        {0, 0x0f, mhz(1803), 0.2}, {4, 0x30, mhz(2253), 0.6}, {6, 0xc0, mhz(2802), 1}};
    std::mt19937 random{1};
    std::lognormal_distribution<double> work{std::log(12e6), 0.1};
    WorkloadFrame frame = frame_at_60_hz();
    for (int i = 1; i <= 3000; ++i) {
      frame.vsync += frame.interval;
      frame.deadline = frame.vsync + frame.interval;
      frame.ui.work = Work{2e6};
      frame.ui.cluster = 2;
      frame.render.work = Work{work(random)};
      frame.render.cluster = i % moved_every == 0 ? 1 : 2;  // nobody tells where it begins
      workload->frames.push_back(frame);
    }
    const ReplayInput input{"moved", workload};
    return replay(ReplayScene(input, phones[0], DeadlineMode::kStrict), **find_policy(policy), {})
        .totals;
  };
  for (const char* policy : {"mpc", "pid"}) {
    const PlantTotals still = play(policy, 4000);
    const PlantTotals moved = play(policy, 50);
    EXPECT_LT(moved.energy_mj(), 1.1 * still.energy_mj()) << policy;
    EXPECT_LE(moved.missed, still.missed + 3) << policy;
  }
}

TEST(Replay, AHitchThatNoSpeedWouldPreventIsNoReasonForMore) {
  const auto phones = devices({"tensor_g1"});
  const auto play = [&](double hitch) {
    const auto workload = one_app_on(phones[0]);
    std::mt19937 random{1};
    std::lognormal_distribution<double> work{std::log(8e6), 0.2};
    WorkloadFrame frame = frame_at_60_hz();
    for (int i = 1; i <= 3000; ++i) {
      const bool is_hitch = i % 300 == 150;
      frame.deadline = frame.vsync + frame.interval;
      frame.ui.work = Work{work(random) + (is_hitch ? hitch : 0)};
      workload->frames.push_back(frame);
      frame.vsync += frame.interval * (is_hitch ? 6 : 1);
    }
    const ReplayInput input{"hitches", workload};
    return replay(ReplayScene(input, phones[0], DeadlineMode::kStrict), **find_policy("mpc"), {})
        .totals;
  };
  const PlantTotals smooth = play(0);
  const PlantTotals hitches = play(200e6);
  EXPECT_LT(hitches.energy_mj(), 1.5 * smooth.energy_mj());
  EXPECT_LE(hitches.missed, smooth.missed + 6);
}

TEST(Replay, MemoryDoesNotGrowWithTheLength) {
  const auto phones = devices({"tensor_g1"});
  const PolicyEntry& policy = **find_policy("pid");
  const auto allocations_of = [&](const char* spec) {
    const ReplayScene scene(synthetic(spec), phones[0], DeadlineMode::kStrict);
    const std::uint64_t before = test::allocations();
    const RunResult result = replay(scene, policy, {});
    EXPECT_GT(result.totals.frames, 100U);
    return test::allocations() - before;
  };
  EXPECT_EQ(allocations_of("synthetic:scroll@120:5s"), allocations_of("synthetic:scroll@120:50s"));
}

TEST(Synthetic, IsReproducibleAndFollowsItsSettings) {
  const auto phones = devices({"tensor_g1"});
  const auto frames_of = [&](std::uint64_t seed) {
    const ReplayScene scene(synthetic("synthetic:scroll@120:60s", seed), phones[0],
                            DeadlineMode::kStrict);
    const auto source = scene.open();
    std::vector<FittedFrame> frames;
    for (FittedFrame frame; source->next_frame(frame);) {
      frames.push_back(frame);
    }
    return frames;
  };
  const auto first = frames_of(1);
  const auto again = frames_of(1);
  const auto other = frames_of(2);
  ASSERT_EQ(first.size(), again.size());
  EXPECT_EQ(first.back().render_work, again.back().render_work);
  EXPECT_NE(first.back().render_work, other.back().render_work);
  const double interval = 1e9 / 120;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_DOUBLE_EQ(first[i].interval, interval);
    if (i > 0) {
      EXPECT_GE(first[i].vsync - first[i - 1].vsync, 0.999 * interval);
    }
  }
}

TEST(Synthetic, HasTheStatisticsThatItsSettingsState) {
  const SyntheticSettings settings = *parse_synthetic("synthetic:scroll@90:1200s");
  const auto phones = devices({"tensor_g1"});
  SyntheticSource source(settings, phones[0].tables, DeadlineMode::kStrict);
  // ms on the nominal core: 26000 CoreMark iterations/s.
  const double nominal = phones[0].tables.reference_coremark * 2802 / 26000 / 1e6;
  std::vector<double> logs;
  std::vector<double> shares;
  double phases = 1;
  double skipped = 0;
  double products = 0;
  double pairs = 0;
  double last = 0;
  for (FittedFrame frame; source.next_frame(frame);) {
    const double work = frame.ui_work + frame.render_work;
    const double deviant = std::log(work * nominal / settings.median_ms);
    const double refreshes = std::round((frame.vsync - last) / frame.interval);
    if (last > 0 && refreshes > 3) {
      ++phases;
    } else if (last > 0) {
      skipped += refreshes - 1;
      products += deviant * logs.back();
      ++pairs;
    }
    logs.push_back(deviant);
    shares.push_back(frame.ui_work / work);
    last = frame.vsync;
  }
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const auto deviation = [&](const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) {
      squares += (value - mean(values)) * (value - mean(values));
    }
    return std::sqrt(squares / static_cast<double>(values.size()));
  };
  EXPECT_NEAR(mean(logs), 0, 0.03);
  EXPECT_NEAR(deviation(logs), settings.deviation, 0.02);
  EXPECT_NEAR(products / pairs / std::pow(deviation(logs), 2), settings.correlation, 0.03);
  EXPECT_NEAR(mean(shares), settings.ui_share, 0.01);
  EXPECT_NEAR(deviation(shares), settings.ui_share_deviation, 0.01);
  const auto frames = static_cast<double>(logs.size());
  EXPECT_NEAR(skipped / (frames + skipped), settings.skipped, 0.01);
  // 0.8 s of frames, then 0.18 without.
  EXPECT_NEAR(frames / 90 / (1 - settings.skipped) / phases, 0.8, 0.06);
}

TEST(Synthetic, SaysWhatItDoesNotUnderstand) {
  for (const char* bad :
       {"synthetic:", "synthetic:scroll", "synthetic:scroll@120", "synthetic:x@60:5",
        "synthetic:scroll@0:5s", "synthetic:scroll@60:-1", "synthetic:fling@a:5"}) {
    EXPECT_FALSE(parse_synthetic(bad).has_value()) << bad;
  }
  EXPECT_THAT(parse_synthetic("synthetic:scroll@60:0").error().message,
              ::testing::HasSubstr("more than 0 and at most 30 days"));
  EXPECT_EQ(parse_synthetic("synthetic:fling@144:90s")->refresh_hz, 144);
  EXPECT_EQ(parse_synthetic("synthetic:fling@144:90")->seconds, 90);
}

std::vector<RunResult> replay_on_sdm660(const ReplaySettings& settings) {
  const auto phones = devices({"sdm660"});
  const std::vector<const PolicyEntry*> policies{*find_policy("schedutil"),
                                                 *find_policy("performance")};
  std::atomic<std::size_t> done{0};
  return replay_all({synthetic("synthetic:fling@120:20s")}, phones, policies, settings, 2, done);
}

TEST(Replay, WhatFullSpeedMissesIsNotAvoidable) {
  ReplaySettings settings;
  settings.plant.world.placement = PlacementKind::kEas61;
  const auto runs = replay_on_sdm660(settings);
  EXPECT_GT(runs[1].totals.missed, 0U);  // on little cores, where no limit helps
  EXPECT_EQ(runs[1].avoidable, 0U);
  EXPECT_GT(runs[0].avoidable, 0U);
  EXPECT_LE(runs[0].avoidable, runs[0].totals.missed);
  EXPECT_GE(*runs[0].avoidable + runs[1].totals.missed, runs[0].totals.missed);
}

TEST(Replay, WhereFullSpeedIsInTimeEveryMissIsAvoidable) {
  const auto runs = replay_on_sdm660({});
  EXPECT_EQ(runs[0].avoidable, runs[0].totals.missed);
  EXPECT_EQ(runs[1].avoidable, 0U);
}

TEST(Replay, DroppedFramesAreNotComparedWithThoseOfFullSpeed) {
  ReplaySettings settings;
  settings.plant.world.placement = PlacementKind::kEas61;
  settings.plant.drop_late = true;
  EXPECT_FALSE(replay_on_sdm660(settings)[0].avoidable.has_value());
}

TEST(Replay, FurtherJobsRunOnTheSameThreads) {
  const auto phones = devices({"tensor_g1"});
  const std::vector<const PolicyEntry*> policies{*find_policy("performance")};
  const std::vector<ReplayInput> inputs{synthetic("synthetic:scroll@60:2s")};
  for (const std::size_t threads : {1U, 4U}) {
    SceneBounds bounds;
    const std::vector<std::function<void()>> also{
        [&] { bounds = scene_bounds(inputs[0], phones[0]); }};
    std::atomic<std::size_t> done{0};
    const auto runs = replay_all(inputs, phones, policies, {}, threads, done, also);
    EXPECT_EQ(done, 2U);
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(bounds.input, runs[0].input);
    EXPECT_GT(bounds.strict_mj, 0);
    EXPECT_LT(bounds.strict_mj, runs[0].totals.energy_mj());
  }
}

TEST(SceneBounds, TheirNumberOfFramesIsKnownWithoutGeneratingThem) {
  EXPECT_EQ(most_frames(synthetic("synthetic:scroll@120:600s")), 72'000U);
  EXPECT_GT(most_frames(synthetic("synthetic:mixed@60:36000s")), kMostBoundedFrames);
  const auto workload = std::make_shared<Workload>();
  workload->frames.resize(7);
  EXPECT_EQ(most_frames({"recording", workload}), 7U);
}

TEST(Scorecard, HasTheKeysAndTheRatios) {
  const auto phones = devices({"tensor_g1"});
  const std::vector<const PolicyEntry*> policies{*find_policy("performance"),
                                                 *find_policy("schedutil-boost")};
  std::atomic<std::size_t> done{0};
  const auto runs =
      replay_all({synthetic("synthetic:scroll@60:5s")}, phones, policies, {}, 1, done);
  const auto scored = score(runs, {{runs[0].input, "tensor_g1", 100, 50}});
  const nlohmann::json json = to_json(scored);
  const nlohmann::json& run = json["runs"][0];
  for (
      const char* key :
      {"input",           "device",           "policy",           "deadline",     "frames",
       "feasible_frames", "missed_deadlines", "miss_rate",        "janky_frames", "energy_mj",
       "mean_power_mw",   "generation_ms",    "vs_strict",        "vs_buffered",  "vs_stock",
       "writes",          "transitions",      "dropped_frames",   "world",        "energy_parts_mj",
       "others",          "frames_vs_bound",  "avoidable_misses", "late_frames",  "stuffed_frames",
       "busy_ms"}) {
    EXPECT_TRUE(run.contains(key)) << key;
  }
  EXPECT_EQ(run.size(), 26U);
  EXPECT_DOUBLE_EQ(run["vs_strict"], runs[0].totals.energy_mj() / 100);
  EXPECT_DOUBLE_EQ(run["vs_buffered"], runs[0].totals.energy_mj() / 50);
  EXPECT_DOUBLE_EQ(json["runs"][1]["vs_stock"], 1.0);
  EXPECT_TRUE(to_json(score({runs[0]}, {}))["runs"][0]["vs_stock"].is_null());
}

}  // namespace
}  // namespace framegov::sim

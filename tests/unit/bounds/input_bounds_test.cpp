// SPDX-License-Identifier: Apache-2.0
// No policy may use less energy than the bound at no more misses, on any phone and workload.
#include "sim/bounds/input_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <span>
#include <utility>

#include "sim/bounds/running_cost.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/replay.h"
#include "tests/support/allocation_counter.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

SyntheticSettings workload(int round, double seconds) {
  constexpr SyntheticSettings::Scene kScenes[] = {
      SyntheticSettings::Scene::kScroll, SyntheticSettings::Scene::kFling,
      SyntheticSettings::Scene::kStill, SyntheticSettings::Scene::kMixed};
  constexpr double kRates[] = {60, 90, 120, 144};
  SyntheticSettings settings;
  settings.scene = kScenes[round % 4];
  settings.refresh_hz = kRates[round / 4 % 4];
  settings.seconds = seconds;
  settings.seed = static_cast<std::uint64_t>(round) + 1;
  settings.deviation = 0.1 + 0.1 * (round % 7);
  const double mean_load = 0.05 + 0.05 * (round % 12);
  settings.median_ms = mean_load * 1e3 / settings.refresh_hz *
                       std::exp(-0.5 * settings.deviation * settings.deviation);
  return settings;
}

/// Runs `policy` and holds its energy to the bound when it misses nothing, frames in a full queue
/// included: the bound has them on time. True when it was held.
bool hold_to_bound(const ReplayScene& scene, const PolicyEntry& policy, double bound_mj) {
  const RunResult result = replay(scene, policy, ReplaySettings{});
  if (result.totals.missed + result.totals.stuffed != 0) {
    return false;
  }
  EXPECT_GE(result.totals.energy_mj(), bound_mj * (1 - 1e-9))
      << result.device << ' ' << policy.name << ' ' << deadline_name(scene.deadline());
  return true;
}

std::vector<ReplayDevice> all_devices() {
  std::vector<ReplayDevice> devices;
  const auto catalog = DeviceCatalog::load();
  EXPECT_TRUE(catalog.has_value());
  for (const DeviceModel& model : catalog->devices()) {
    devices.emplace_back(model, EnergyModel::kExact);
  }
  return devices;
}

TEST(InputBounds, AreOrderedAndBelowEveryPolicyThatMissesNothing) {
  int held = 0;
  int round = 0;
  for (const ReplayDevice& device : all_devices()) {
    for (int i = 0; i < 12; ++i, ++round) {
      const ReplayInput input{"synthetic", workload(round, 6)};
      const ReplayScene strict(input, device, DeadlineMode::kStrict);
      const ReplayScene buffered(input, device, DeadlineMode::kBuffered);
      const InputBounds bounds = input_bounds(*strict.open(), device.tables);
      EXPECT_LE(bounds.strict_hull_mj, bounds.strict_mj * (1 + 1e-9));
      EXPECT_GE(bounds.buffered_feasible, bounds.strict_feasible);
      if (bounds.buffered_feasible == bounds.strict_feasible) {
        EXPECT_LE(bounds.buffered_mj, bounds.strict_hull_mj * (1 + 1e-9));
      }
      EXPECT_GT(bounds.buffered_mj, 0);
      // Any speed at any time is not worse than one speed a frame with a price on each change.
      EXPECT_LE(bounds.buffered_mj, bounds.dp_mj * (1 + 1e-6));
      for (const PolicyEntry& policy : policy_registry()) {
        held += hold_to_bound(strict, policy, bounds.strict_hull_mj);
        held += hold_to_bound(buffered, policy, bounds.buffered_mj);
      }
    }
  }
  EXPECT_GT(held, 200);
}

TEST(InputBounds, HoldOnAHundredThousandShortWorkloads) {
  const std::vector<ReplayDevice> devices = all_devices();
  const auto& policies = policy_registry();
  std::size_t held = 0;
  for (int round = 0; round < 100'000; ++round) {
    const auto index = static_cast<std::size_t>(round);
    const ReplayDevice& device = devices[index % devices.size()];
    const ReplayInput input{"synthetic", workload(round, 0.4)};
    const InputBounds bounds =
        input_bounds(*ReplayScene(input, device, DeadlineMode::kStrict).open(), device.tables);
    const PolicyEntry& policy = policies[index / devices.size() % policies.size()];
    const bool buffered = round % 2 == 1;
    const ReplayScene scene(input, device,
                            buffered ? DeadlineMode::kBuffered : DeadlineMode::kStrict);
    held += hold_to_bound(scene, policy, buffered ? bounds.buffered_mj : bounds.strict_hull_mj);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(held, 20'000U);
}

/// One-stage frames beside others that load every cluster, the frames' own too, and change often.
/// UI threads take one frame in four up late, by up to `latest` intervals.
std::shared_ptr<const Workload> crowded_workload(const ReplayDevice& device, unsigned seed,
                                                 double latest) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0, 1);
  auto workload = std::make_shared<Workload>();
  workload->has_work = true;
  workload->interval = std::chrono::nanoseconds{16'666'667};
  const double speed = device.tables.reference_hz;
  for (std::size_t c = 0; c < device.tables.count; ++c) {
    const ClusterTable& table = device.tables.clusters[c];
    workload->clusters.push_back({static_cast<int>(c), 1ULL << c, mhz(1000), 1.0 + table.capacity});
  }
  Instant at = instant_from_ns(1'000'000'000);
  workload->other.start = at;
  for (int i = 0; i < 20; ++i) {
    at += workload->interval * (random() % 4 == 0 ? 3 : 1);
    WorkloadFrame frame;
    frame.vsync = at;
    frame.interval = workload->interval;
    frame.deadline = at + frame.interval;
    frame.render.work = Work{(0.02 + 0.5 * part(random)) * 0.016 * speed};
    frame.render.cluster = static_cast<std::int8_t>(device.tables.fastest);
    frame.ui.cluster = frame.render.cluster;
    if (random() % 4 == 0) {
      frame.start = at + seconds_to_duration(latest * part(random) * to_seconds(frame.interval));
    }
    workload->frames.push_back(frame);
  }
  workload->other.window = std::chrono::milliseconds{7};
  workload->other.clusters = device.tables.count;
  for (Instant t = workload->other.start; t < at; t += workload->other.window) {
    for (const ClusterTable& table : device.tables.clusters) {
      const auto busiest = static_cast<float>(part(random) * table.capacity * speed);
      workload->other.loads.push_back({1.5F * busiest, busiest});
    }
  }
  return workload;
}

TEST(InputBounds, HoldBesideOthersOnTheFramesOwnCluster) {
  const std::vector<ReplayDevice> devices = all_devices();
  const auto& policies = policy_registry();
  std::size_t held = 0;
  for (unsigned round = 0; round < 10'000; ++round) {
    const ReplayDevice& device = devices[round % devices.size()];
    // Past the next one's vsync full speed is late too, and the two have to share the time.
    const bool past_next = round % 3 == 0;
    const ReplayInput input{"crowded", crowded_workload(device, round, past_next ? 1.2 : 0.4)};
    const InputBounds bounds =
        input_bounds(*ReplayScene(input, device, DeadlineMode::kStrict).open(), device.tables);
    if (!past_next) {
      EXPECT_LE(bounds.strict_hull_mj, bounds.strict_mj * (1 + 1e-9));
    }
    EXPECT_GT(bounds.others_mj, 0);
    const PolicyEntry& policy = policies[round / devices.size() % policies.size()];
    const bool buffered = round % 2 == 1;
    const ReplayScene scene(input, device,
                            buffered ? DeadlineMode::kBuffered : DeadlineMode::kStrict);
    held += hold_to_bound(scene, policy, buffered ? bounds.buffered_mj : bounds.strict_hull_mj);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  EXPECT_GT(held, 2'000U);
}

TEST(InputBounds, AFrameThatIsTakenUpLateHasToBeMadeFaster) {
  const ReplayDevice device(test::two_speed_phone(), EnergyModel::kExact);
  const auto bounds_of = [&](Duration late) {
    auto workload = std::make_shared<Workload>();
    workload->has_work = true;
    workload->clusters.push_back({0, 0x3, mhz(1000), 1});
    WorkloadFrame frame;
    frame.vsync = instant_from_ns(1'000'000'000);
    frame.interval = std::chrono::milliseconds{16};
    frame.deadline = frame.vsync + frame.interval;
    frame.start = frame.vsync + late;
    frame.render.work = Work{0.006 * device.tables.reference_hz};  // 12 ms at 500 MHz
    frame.render.cluster = 0;
    workload->frames.push_back(frame);
    const ReplayInput input{"one", workload};
    return input_bounds(*ReplayScene(input, device, DeadlineMode::kStrict).open(), device.tables);
  };
  const InputBounds in_time = bounds_of(std::chrono::milliseconds{2});
  const InputBounds late = bounds_of(std::chrono::milliseconds{6});
  EXPECT_GT(late.strict_mj, 1.1 * in_time.strict_mj);
  EXPECT_GT(late.strict_hull_mj, in_time.strict_hull_mj);
  EXPECT_NEAR(late.buffered_mj, in_time.buffered_mj, 1e-9);  // 26 ms are enough
}

TEST(InputBounds, AGamesFramesBehindALateOneAreDueAsMuchLater) {
  const ReplayDevice device(test::two_speed_phone(), EnergyModel::kExact);
  const auto bounds_of = [&](const std::vector<double>& works) {
    std::vector<FittedFrame> frames;
    for (const double work : works) {
      frames.push_back(test::frame_at(10.0 * static_cast<double>(frames.size()), 0, work));
      frames.back().surface = true;
    }
    test::ListSource source(frames);
    return input_bounds(source, device.tables);
  };
  const InputBounds all_in_time = bounds_of({9, 9, 9, 9, 9, 9, 9, 9});
  const InputBounds one_late = bounds_of({9, 9, 25, 15, 9, 9, 9, 9});
  EXPECT_EQ(all_in_time.strict_feasible, 8U);
  EXPECT_EQ(one_late.strict_feasible, 7U);
  // No speed would have the 15 ms done in the time between its own vsyncs.
  EXPECT_LT(one_late.strict_mj, 1.5 * all_in_time.strict_mj);
  EXPECT_LT(one_late.strict_hull_mj, 1.5 * all_in_time.strict_hull_mj);
  EXPECT_LT(one_late.dp_mj, 1.5 * all_in_time.dp_mj);
}

TEST(InputBounds, AFrameBesideOthersIsChargedForItsThreadsAtTheirCheapestOpp) {
  const DeviceTables tables(test::two_speed_phone());
  const auto bounds = [&](bool with_beside) {
    std::vector<FittedFrame> frames = {test::frame_at(100, 1, 1), test::frame_at(110, 1, 1)};
    if (with_beside) {
      frames.push_back(test::frame_at(111, 0.5, 1.5));
      frames.back().app = 1;
      frames.back().beside = true;
    }
    test::ListSource source(frames);
    return input_bounds(source, tables);
  };
  // 2 ms of work take 4 ms at 500 MHz and 100 mW, or 2 ms at 400 mW. Clusters are awake anyway.
  const InputBounds alone = bounds(false);
  const InputBounds both = bounds(true);
  EXPECT_NEAR(both.frames_mj - alone.frames_mj, 0.4, 1e-9);
  EXPECT_NEAR(both.strict_mj - alone.strict_mj, 0.4, 1e-9);
  EXPECT_NEAR(both.buffered_mj - alone.buffered_mj, 0.4, 1e-9);
  EXPECT_NEAR(both.dp_mj - alone.dp_mj, 0.4, 1e-9);
  EXPECT_EQ(both.strict_feasible, 2U);
}

/// As a list of frames, with one busy CPU of others' all the time.
class WithOthers final : public FittedSource {
 public:
  explicit WithOthers(std::vector<FittedFrame> frames) : frames_(std::move(frames)) {}
  bool next_frame(FittedFrame& frame) override { return frames_.next_frame(frame); }
  bool next_touch(double&) override { return false; }
  std::span<const FittedLoad> next_load(double& at) override {
    at = 0;
    return given_++ == 0 ? std::span{&load_, 1} : std::span<const FittedLoad>{};
  }

 private:
  test::ListSource frames_;
  FittedLoad load_{0.4, 0.4};
  int given_ = 0;
};

TEST(InputBounds, OthersAreChargedAsLongAsAnyAppDraws) {
  const DeviceTables tables(test::two_speed_phone());
  const auto others = [&](bool with_beside) {
    std::vector<FittedFrame> frames = {test::frame_at(100, 1, 1)};
    if (with_beside) {
      for (const double vsync : {50.0, 200.0}) {
        frames.push_back(test::frame_at(vsync, 0, 1));
        frames.back().app = 1;
        frames.back().beside = true;
      }
    }
    WithOthers source(frames);
    return input_bounds(source, tables).others_mj;
  };
  // 0.4 of the reference speed is 0.8 of a CPU's time at 500 MHz: 110 mW. From 100 to 110 ms, or
  // from 50 to 210.
  EXPECT_NEAR(others(false), 10e-3 * 0.8 * 110, 1e-9);
  EXPECT_NEAR(others(true), 160e-3 * 0.8 * 110, 1e-9);
}

/// Frames, and others whose loads change at random on every cluster, some to nothing.
class RandomOthers final : public FittedSource {
 public:
  RandomOthers(std::vector<FittedFrame> frames, std::size_t clusters, unsigned seed)
      : frames_(std::move(frames)), loads_(clusters), random_(seed) {}
  bool next_frame(FittedFrame& frame) override { return frames_.next_frame(frame); }
  bool next_touch(double& /*at*/) override { return false; }
  std::span<const FittedLoad> next_load(double& at) override {
    at = 3e6 * given_;
    for (FittedLoad& load : loads_) {
      const double busiest = 0.03 * static_cast<double>(random_() % 4);
      load = {(1 + 0.5 * static_cast<double>(random_() % 3)) * busiest, busiest};
    }
    return given_++ < 200 ? std::span<const FittedLoad>(loads_) : std::span<const FittedLoad>{};
  }

 private:
  test::ListSource frames_;
  std::vector<FittedLoad> loads_;
  std::mt19937 random_;
  int given_ = 0;
};

/// The least that one frame adds (mJ) with one OPP for each thread, on any clusters: all are tried.
double tried_mj(const FittedFrame& frame, const RunningCost& cost, const DeviceTables& tables) {
  const double begin = (frame.vsync + frame.dispatch) * 1e-9;
  const double deadline = frame.deadline * 1e-9;
  const auto each_way = [&](double from, double work_ns, double fixed_ns, const auto& visit) {
    for (std::size_t c = 0; c < tables.count; ++c) {
      for (std::size_t opp = 0; opp <= tables.clusters[c].top(); ++opp) {
        const double until = from + (work_ns / tables.clusters[c].share[opp] + fixed_ns) * 1e-9;
        const auto& point = tables.power(c, opp, 0);
        if (until <= deadline) {
          visit(until, (until - from) * cost.one_thread(c, from, until)[opp].power_mw -
                           fixed_ns * 1e-9 * (point.active - point.idle));
        }
      }
    }
  };
  double least = 1e300;
  each_way(begin, frame.ui_work, frame.ui_fixed, [&](double handover, double ui_mj) {
    each_way(handover, frame.render_work, frame.render_fixed,
             [&](double, double render_mj) { least = std::min(least, ui_mj + render_mj); });
  });
  return least;
}

TEST(InputBounds, StrictIsTheCheapestOfAllPairsOfOpps) {
  for (const ReplayDevice& device : all_devices()) {
    const DeviceTables& tables = device.tables;
    std::vector<FittedFrame> frames;
    for (int i = 0; i < 6; ++i) {
      frames.push_back(test::frame_at(20.0 * (i + 1), 0.4 * (i + 1), 1 + 0.5 * (i % 3)));
      frames.back().render_fixed = i % 2 == 0 ? 0 : 0.7e6;
    }
    for (const OthersWork others : {OthersWork::kMayWait, OthersWork::kIsDone}) {
      RandomOthers source(frames, tables.count, 5);
      const InputBounds bounds = input_bounds(source, tables, others, FrameClusters::kAny);
      RandomOthers again(frames, tables.count, 5);
      const RunningCost cost(tables, again, (1U << tables.count) - 1U, true, others);
      double tried = bounds.others_mj;
      for (const FittedFrame& frame : frames) {
        tried += tried_mj(frame, cost, tables);
      }
      EXPECT_EQ(bounds.strict_feasible, frames.size());
      EXPECT_NEAR(bounds.strict_mj, tried, 1e-9 * tried) << device.name;
    }
  }
}

/// Others alone on one cluster: loads that last `seconds` each, the last one for ever.
class LoadsAlone final : public FittedSource {
 public:
  explicit LoadsAlone(std::vector<FittedLoad> loads, double seconds = 1)
      : loads_(std::move(loads)), seconds_(seconds) {}
  bool next_frame(FittedFrame& /*frame*/) override { return false; }
  bool next_touch(double& /*at*/) override { return false; }
  std::span<const FittedLoad> next_load(double& at) override {
    at = static_cast<double>(given_) * seconds_ * 1e9;
    return given_ == loads_.size() ? std::span<const FittedLoad>{}
                                   : std::span{&loads_[given_++], 1};
  }

 private:
  std::vector<FittedLoad> loads_;
  double seconds_;
  std::size_t given_ = 0;
};

TEST(RunningCost, OthersWorkThatMustBeDoneNeedsAnOppThatItFitsInto) {
  const DeviceTables tables(test::two_speed_phone());
  const auto others_mj = [&](double busiest, OthersWork others) {
    LoadsAlone source({{busiest, busiest}});
    return RunningCost(tables, source, 1, false, others).others_mj(0, 1);
  };
  // 500 MHz is half the reference speed: twice the load in 100 mW, and 10 mW while awake.
  EXPECT_NEAR(others_mj(0.4, OthersWork::kMayWait), 0.8 * (100 + 10), 1e-9);
  EXPECT_NEAR(others_mj(0.4, OthersWork::kIsDone), 0.8 * (100 + 10), 1e-9);
  EXPECT_NEAR(others_mj(0.6, OthersWork::kMayWait), 1.2 * 100 + 10, 1e-9);
  EXPECT_NEAR(others_mj(0.6, OthersWork::kIsDone), 0.6 * (400 + 20), 1e-9);
  // What fits nowhere runs at the top.
  EXPECT_NEAR(others_mj(1.5, OthersWork::kIsDone), 1.5 * 400 + 20, 1e-9);
}

TEST(RunningCost, AWindowThatKeepsTheHullHasTheSame) {
  const DeviceTables tables(test::two_speed_phone());
  std::mt19937 random(3);
  std::vector<FittedLoad> loads;
  while (loads.size() < 300) {
    const double busiest = 0.1 * static_cast<double>(random() % 4);
    loads.insert(loads.end(), 1 + random() % 8, {1.5 * busiest, busiest});
  }
  LoadsAlone source(loads, 0.004);
  const RunningCost cost(tables, source, 1, true);
  ASSERT_EQ(cost.windows().size(), loads.size());
  for (const double shift : {0.0, 0.003, 0.01}) {
    std::size_t kept = 0;
    for (std::size_t w = 1; w < loads.size(); ++w) {
      if (cost.keeps_hull(w, shift)) {
        const EnergyHull before = cost.hull(w - 1, shift);
        const EnergyHull hull = cost.hull(w, shift);
        ASSERT_TRUE(std::equal(hull.corners().begin(), hull.corners().end(),
                               before.corners().begin(), before.corners().end(),
                               [](const RunLevel& a, const RunLevel& b) {
                                 return a.speed == b.speed && a.power_mw == b.power_mw;
                               }))
            << "window " << w;
        ++kept;
      }
    }
    EXPECT_GT(kept, 50U) << shift;
  }
}

TEST(RunningCost, AWindowTakesNoMemoryOfItsOwnForEachWayToRun) {
  const DeviceTables tables(test::two_speed_phone());
  std::vector<FittedLoad> loads;
  for (int i = 0; i < 100'000; ++i) {
    loads.push_back({1e-6 * i, 1e-6 * i});
  }
  LoadsAlone source(std::move(loads), 0.004);
  const std::uint64_t before = test::allocations();
  const RunningCost cost(tables, source, 1, true);
  EXPECT_LT(test::allocations() - before, 100U);
}

}  // namespace
}  // namespace framegov::sim

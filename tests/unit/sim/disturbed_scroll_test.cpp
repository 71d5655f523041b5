// SPDX-License-Identifier: Apache-2.0
// A scroll that is disturbed by what no speed would have prevented: it costs a little, for a while.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "policy/plan_bounds.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/policy_registry.h"
#include "sim/run/replay.h"
#include "sim/workload/workload_source.h"

namespace framegov::sim {
namespace {

constexpr int kFrames = 6000;

ReplayDevice phone(const char* name) {
  static const DeviceCatalog kKcatalog = *DeviceCatalog::load();
  return {**kKcatalog.find(name), EnergyModel::kExact};
}

/// Lognormal work, its median a part `load` of what full speed does in an interval of 60 Hz.
/// `disturb` may change frame `i`, whose vsync is the one after the last one's interval.
using Disturb = std::function<void(int i, WorkloadFrame& frame)>;
Workload scroll(const ReplayDevice& on, double load, const Disturb& disturb) {
  Workload workload;
  workload.reference.coremark_per_mhz = on.tables.reference_coremark;
  workload.apps.emplace_back();
  std::mt19937 random{1};
  std::lognormal_distribution<double> spread{0, 0.2};
  Instant vsync = instant_from_ns(5'000'000'000);
  for (int i = 0; i < kFrames; ++i) {
    WorkloadFrame frame;
    frame.interval = std::chrono::nanoseconds{16'666'667};
    frame.vsync = vsync;
    frame.deadline = vsync + frame.interval;
    frame.deadline_edge = DeadlineEdge::kPlatform;
    const double work = spread(random) * load * on.tables.reference_hz / 60;
    frame.ui.work = Work{0.4 * work};
    frame.render.work = Work{0.6 * work};
    disturb(i, frame);
    workload.frames.push_back(frame);
    vsync = frame.vsync + frame.interval;
  }
  return workload;
}

PlantTotals play(const ReplayDevice& on, Policy& policy, const Workload& workload,
                 bool drop_late = true, DeadlineMode deadlines = DeadlineMode::kRecorded) {
  const auto fitted = std::make_shared<const FittedWorkload>(workload, on.tables, deadlines);
  WorkloadSource source(fitted);
  PlantSettings settings;
  settings.drop_late = drop_late;
  return Plant(on.tables, on.topology, settings, source, policy).run();
}

PlantTotals play(const ReplayDevice& on, const char* policy, const Workload& workload) {
  const auto made = (*find_policy(policy))->make(on.topology, {});
  return play(on, *made, workload);
}

void undisturbed(int, WorkloadFrame&) {}

TEST(DisturbedScroll, FramesThatWaitForOthersAreNoReasonToHurry) {
  const ReplayDevice on = phone("tensor_g1");
  for (const char* policy : {"mpc", "pid"}) {
    const PlantTotals smooth = play(on, policy, scroll(on, 0.25, undisturbed));
    for (const int every : {30, 300}) {
      const auto stalls = scroll(on, 0.25, [every](int i, WorkloadFrame& frame) {
        frame.ui.fixed = i % every == every - 1 ? frame.interval * 11 / 10 : Duration::zero();
      });
      const PlantTotals stalled = play(on, policy, stalls);
      EXPECT_LT(stalled.energy_mj(), 1.2 * smooth.energy_mj()) << policy << " " << every;
      EXPECT_LE(stalled.missed, smooth.missed + 6) << policy << " " << every;
    }
  }
}

TEST(DisturbedScroll, TheOthersAreNotReadyForTheFirstFramesWork) {
  const ReplayDevice on = phone("tensor_g1");
  const auto bursts = [&](double heavier) {
    return play(on, "mpc", scroll(on, 0.2, [heavier](int i, WorkloadFrame& frame) {
                  if (i % 150 == 0) {
                    frame.vsync += std::chrono::milliseconds{700};
                    frame.deadline = frame.vsync + frame.interval;
                    frame.ui.work = frame.ui.work * heavier;
                    frame.render.work = frame.render.work * heavier;
                  }
                }));
  };
  const PlantTotals alike = bursts(1);
  const PlantTotals heavy = bursts(3);
  EXPECT_LT(heavy.energy_mj(), 1.4 * alike.energy_mj());
  EXPECT_LE(heavy.missed, alike.missed + 6);
}

TEST(DisturbedScroll, AFrameWithMoreTimeSaysNothingOfTheNext) {
  const ReplayDevice on = phone("tensor_g1");
  const PlantTotals even = play(on, "mpc", scroll(on, 0.25, undisturbed));
  const PlantTotals odd = play(on, "mpc", scroll(on, 0.25, [](int i, WorkloadFrame& frame) {
                                 frame.deadline += i % 20 == 10 ? frame.interval : Duration::zero();
                               }));
  EXPECT_LT(odd.energy_mj(), 1.1 * even.energy_mj());
  EXPECT_LE(odd.missed, even.missed + 3);
}

TEST(DisturbedScroll, AFasterDisplayIsNoReasonForMoreOnceItIsKnown) {
  const ReplayDevice on = phone("tensor_g1");
  const auto at = [&](auto is_fast) {
    return play(on, "mpc", scroll(on, 0.125, [is_fast](int i, WorkloadFrame& frame) {
                  if (is_fast(i)) {
                    frame.interval = std::chrono::nanoseconds{1'000'000'000 / 144};
                    frame.deadline = frame.vsync + frame.interval;
                  }
                }));
  };
  const PlantTotals slow = at([](int) { return false; });
  const PlantTotals fast = at([](int) { return true; });
  const PlantTotals switched = at([](int i) { return i % 408 >= 120; });  // 2 s each
  // The frame that is late for the change may fill the queue: those behind it are late as well.
  const double apart = (120 * slow.energy_mj() + 288 * fast.energy_mj()) / 408;
  EXPECT_LT(switched.energy_mj(), 1.1 * apart);
}

TEST(DisturbedScroll, ALateFrameIsDoneBeforeThoseBehindItAreLateToo) {
  const ReplayDevice on = phone("tensor_g1");
  const Workload one_heavy = scroll(on, 0.2, [&](int i, WorkloadFrame& frame) {
    const double work = (i % 300 == 150 ? 0.9 : 0.27) * on.tables.reference_hz / 60;
    frame.ui.work = Work{0.4 * work};
    frame.render.work = Work{0.6 * work};
  });
  // No vsync is skipped: whatever is late by a vsync fills the queue until the end.
  for (const char* name : {"mpc", "pid"}) {
    const auto policy = (*find_policy(name))->make(on.topology, {});
    EXPECT_LE(play(on, *policy, one_heavy, false).missed, kFrames / 300U + 10U) << name;
  }
}

TEST(DisturbedScroll, ThreadsOnTwoClustersAreInTimeTogether) {
  const ReplayDevice on = phone("tensor_g1");
  Workload workload = scroll(on, 0.25, [](int, WorkloadFrame& frame) {
    const Work work = frame.ui.work + frame.render.work;
    frame.ui.work = work * 0.2;
    frame.ui.cluster = 0;
    frame.render.work = work * 0.8;
    frame.render.cluster = 2;
  });
  for (const Cluster& cluster : on.topology.clusters) {
    workload.clusters.push_back(
        {cluster.cpufreq_id, cluster.cpus, cluster.max_frequency(),
         cluster.max_speed().count() / static_cast<double>(cluster.max_frequency().count())});
  }
  const PlantTotals mpc = play(on, "mpc", workload);
  EXPECT_LE(mpc.missed, kFrames / 300U);
  EXPECT_LT(mpc.energy_mj(), 0.75 * play(on, "performance", workload).energy_mj());
}

TEST(DisturbedScroll, AGameThatSleepsWithinItsFramesIsLeftThatTimeAndNoMore) {
  const ReplayDevice on = phone("tensor_g1");
  const auto game = [&](double asleep) {
    Workload workload = scroll(on, 0.2, [asleep](int i, WorkloadFrame& frame) {
      frame.pace = 2 * frame.interval;
      frame.vsync += frame.interval;
      frame.deadline = frame.vsync + frame.pace;
      frame.deadline_edge = DeadlineEdge::kTargetRate;
      frame.render.work = (frame.ui.work + frame.render.work) * 4;
      frame.ui.work = Work{};
      const double varied = asleep * (0.6 + 0.1 * (i % 9));
      frame.render.fixed = seconds_to_duration(varied * to_seconds(frame.pace));
    });
    return play(on, *(*find_policy("mpc"))->make(on.topology, {}), workload, false,
                DeadlineMode::kBuffered);
  };
  const PlantTotals awake = game(0);
  const PlantTotals sleeping = game(0.18);
  EXPECT_LE(sleeping.missed, awake.missed + kFrames / 500U);
  EXPECT_LT(sleeping.energy_mj(), 1.4 * awake.energy_mj());
}

/// Another policy on a phone where others allow half of each cluster's top frequency.
class HalfSpeed final : public Policy {
 public:
  HalfSpeed(std::unique_ptr<Policy> policy, const CpuTopology& topology)
      : policy_(std::move(policy)) {
    for (const Cluster& cluster : topology.clusters) {
      const auto opp = cluster.opp_at_least(cluster.max_frequency() * 0.5);
      ceilings_.push_back({cluster.opps[opp].frequency, Frequency{}});
    }
  }
  const FrequencyPlan& step(const PolicyInput& input) override {
    PolicyInput inside = input;
    NarrowedLimits limits;
    inside.limits = narrowed(input.limits, ceilings_, limits);
    plan_ = policy_->step(inside);
    hold(plan_, ceilings_);
    for (std::size_t c = 0; c < plan_.clusters.size(); ++c) {
      ClusterPlan& cluster = plan_.clusters[c];
      const Frequency ceiling = ceilings_[c].ceiling;
      cluster.cap = cluster.cap.count() > 0 ? std::min(cluster.cap, ceiling) : ceiling;
    }
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return policy_->wake_at(); }
  [[nodiscard]] std::string_view name() const override { return "half speed"; }
  [[nodiscard]] std::optional<Learned> learned() const override { return policy_->learned(); }

 private:
  std::unique_ptr<Policy> policy_;
  ClusterBounds ceilings_;
  FrequencyPlan plan_;
};

TEST(DisturbedScroll, ACeilingIsUsedAndFramesThatItMakesLateRaiseNothing) {
  for (const char* name : {"sm8250", "sdm845"}) {
    const ReplayDevice on = phone(name);
    const Workload heavy = scroll(on, 0.35, undisturbed);
    const auto half = [&](const char* policy) {
      return std::make_unique<HalfSpeed>((*find_policy(policy))->make(on.topology, {}),
                                         on.topology);
    };
    const auto full = half("performance");
    const auto mpc = half("mpc");
    const std::uint64_t hopeless = play(on, *full, heavy).late;
    EXPECT_GT(hopeless, 0U) << name;
    EXPECT_LE(play(on, *mpc, heavy).late, hopeless + 10) << name;
    ASSERT_TRUE(mpc->learned().has_value());
    EXPECT_LT(mpc->learned()->going_margin, 0.3) << name;
  }
}

}  // namespace
}  // namespace framegov::sim

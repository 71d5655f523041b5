// SPDX-License-Identifier: Apache-2.0
// Handing out, doing and tabulating the runs of a plan.
#include <gmock/gmock.h>

#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "sim/devices/content_hash.h"
#include "sim/framebench/framebench.h"
#include "sim/results/scene_bounds.h"
#include "sim/results/scorecard.h"
#include "sim/sweep/sweep_queue.h"
#include "sim/sweep/sweep_table.h"

namespace framegov::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

SweepPlan plan_of(const std::string& more) {
  const auto plan = parse_sweep_plan(
      "inputs: ['synthetic:fling@120:2', 'synthetic:scroll@60:3']\ndevices: [sm8250, sdm845]\n" +
          more,
      "plan.yaml", {}, *DeviceCatalog::load());
  EXPECT_TRUE(plan) << plan.error().to_string();
  return *plan;
}

/// What a sweep gives, by scene and variant.
std::map<std::pair<std::size_t, std::size_t>, std::string> done_on(const SweepPlan& plan,
                                                                   std::size_t threads) {
  std::map<std::pair<std::size_t, std::size_t>, std::string> all;
  std::mutex mutex;
  SweepQueue queue(plan, all_units(plan, [](auto, auto) { return true; }), threads);
  work_off(plan, queue, threads, [&](const SweepUnit&, Result<SweepUnitResults> done) {
    const std::scoped_lock lock(mutex);
    for (const SweepResult& each : done->results) {
      EXPECT_TRUE(all.emplace(std::pair(each.scene, each.variant), each.figures).second);
    }
    return true;
  });
  return all;
}

FiguresOf lookup(const std::map<std::pair<std::size_t, std::size_t>, std::string>& all) {
  return [&all](std::size_t scene, std::size_t variant) -> Result<std::optional<std::string>> {
    const auto found = all.find({scene, variant});
    return found == all.end() ? std::optional<std::string>() : found->second;
  };
}

std::string csv_of(const SweepPlan& plan, const FiguresOf& figures) {
  std::string csv = sweep_csv_head();
  EXPECT_TRUE(
      for_each_row(plan, figures, [&](const SweepRow& row) { csv += sweep_csv_line(row); }));
  return csv;
}

TEST(SweepQueue, HandsOutEachUnitOnceAndAgainWhatCameBack) {
  const SweepPlan plan = plan_of("policies: [schedutil, pid]\nseeds: 1..20\n");
  SweepQueue queue(plan, all_units(plan, [](auto, auto) { return true; }), 2);
  std::multiset<std::size_t> seen;
  const SweepQueue::Units lost = queue.take();
  EXPECT_GT(lost.size(), 1U) << "much is left: few messages";
  SweepQueue::Units units;
  while (!(units = queue.take_now()).empty()) {
    for (const SweepUnit& unit : units) {
      seen.insert(unit.number);
      queue.finish();
    }
  }
  EXPECT_EQ(seen.size(), plan.units() - lost.size()) << "what is out may come back";
  queue.give_back(lost);
  while (!(units = queue.take_now()).empty()) {
    EXPECT_EQ(units.size(), 1U);
    seen.insert(units.front().number);
    queue.finish();
  }
  EXPECT_EQ(seen.size(), plan.units());
  EXPECT_EQ(std::set<std::size_t>(seen.begin(), seen.end()).size(), plan.units());
  EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(SweepQueue, StopsHandingOut) {
  const SweepPlan plan = plan_of("policies: pid\n");
  SweepQueue queue(plan, all_units(plan, [](auto, auto) { return true; }), 1);
  (void)queue.take();
  queue.stop();
  EXPECT_THAT(queue.take(), IsEmpty());
}

TEST(SweepTable, IsTheSameBytesOnAnyNumberOfThreads) {
  const SweepPlan plan =
      plan_of("policies: all\nworlds: [phone, ideal]\nbounds: yes\nseeds: [1, 2]\n");
  const auto one = done_on(plan, 1);
  const auto four = done_on(plan, 4);
  EXPECT_EQ(one.size(), plan.runs());
  const std::string csv = csv_of(plan, lookup(one));
  EXPECT_EQ(csv, csv_of(plan, lookup(four)));
  const auto rows = read_sweep_csv(csv, "results.csv");
  ASSERT_TRUE(rows) << rows.error().to_string();
  std::string again = sweep_csv_head();
  for (const SweepRow& row : *rows) {
    again += sweep_csv_line(row);
  }
  EXPECT_EQ(csv, again) << "what is read is what was written";
}

TEST(SweepTable, HasTheFiguresAndRatiosOfSim) {
  const SweepPlan plan = plan_of("policies: [schedutil-boost, mpc]\nbounds: yes\nseeds: 3\n");
  ReplaySettings settings;
  settings.plant.world = World::phone();
  settings.plant.world.seed = 3;
  std::vector<ReplayInput> inputs;
  for (const SweepInput& each : plan.inputs) {
    SyntheticSettings generated = each.generated;
    generated.seed = 3;
    inputs.push_back({each.name, generated, {}});
  }
  std::vector<ReplayDevice> devices;
  std::vector<SceneBounds> bounds;
  for (const DeviceModel& each : plan.devices) {
    devices.emplace_back(each, settings.world().power);
  }
  for (const ReplayInput& input : inputs) {
    for (const ReplayDevice& device : devices) {
      bounds.push_back(scene_bounds(input, device, settings.world()));
    }
  }
  std::atomic<std::size_t> count{0};
  const auto runs =
      to_json(score(replay_all(inputs, devices, {&plan.policies[0].entry, &plan.policies[1].entry},
                               settings, 1, count),
                    bounds))["runs"];
  const auto done = done_on(plan, 1);
  std::size_t i = 0;
  EXPECT_TRUE(for_each_row(plan, lookup(done), [&](const SweepRow& row) {
    const auto& run = runs.at(i++);
    EXPECT_EQ(row.input, run["input"]);
    EXPECT_EQ(row.device, run["device"]);
    EXPECT_EQ(row.policy, run["policy"]);
    for (const char* key : {"energy_mj", "missed_deadlines", "avoidable_misses", "vs_strict",
                            "vs_buffered", "vs_stock", "frames_vs_bound", "writes"}) {
      EXPECT_EQ(row.figures[key], run[key]) << key;
    }
    EXPECT_EQ(row.figures["others.vs_stock"], run["others"]["vs_stock"]);
    EXPECT_EQ(row.figures["generation_ms.p95"], run["generation_ms"]["p95"]);
  }));
  EXPECT_EQ(i, runs.size());
}

TEST(SweepTable, WhatIsNotDoneIsCountedAndWhatCannotBeReplayedIsARow) {
  const SweepPlan plan = plan_of("policies: [schedutil-boost, mpc]\n");
  auto done = done_on(plan, 1);
  done.erase({0, 1});
  done[{1, 0}] = done[{1, 1}] = R"({"error":"no frames, \"really\""})";
  std::string csv = sweep_csv_head();
  const auto count =
      for_each_row(plan, lookup(done), [&](const SweepRow& row) { csv += sweep_csv_line(row); });
  ASSERT_TRUE(count);
  EXPECT_EQ(count->missing, 1U);
  EXPECT_EQ(count->failed, 2U);
  EXPECT_EQ(count->rows, plan.runs() - 1);
  EXPECT_THAT(csv, HasSubstr("\"no frames, \"\"really\"\"\""));
  EXPECT_TRUE((*read_sweep_csv(csv, "x"))[1].failed());
}

TEST(SweepTable, ABadTableIsRefusedWithItsLine) {
  EXPECT_THAT(read_sweep_csv("a,b\n", "x.csv").error().message, HasSubstr("x.csv:1: "));
  EXPECT_THAT(read_sweep_csv(sweep_csv_head() + "a,b\n", "x.csv").error().message,
              HasSubstr("x.csv:2: 2 fields"));
}

TEST(FrameBench, KeepsItsDefinition) {
  const auto bench = FrameBench::load();
  ASSERT_TRUE(bench) << bench.error().to_string();
  EXPECT_EQ(bench->definition_sha256,
            "0e58984e2d5f091e60602a475fd62c936410a0a177e26c2539721b179f4e6037")
      << "FrameBench 1 is frozen: a change makes FrameBench 2, in a file of its own";
  EXPECT_EQ(bench->plan.scenes(), 11U * 4 * 2 * 3);
}

TEST(FrameBench, ScoresByTheTargetsThenByEnergy) {
  std::vector<SweepRow> rows;
  const auto add = [&](const std::string& policy, double missed, double energy, double others) {
    rows.push_back({"synthetic:a",
                    "p",
                    "phone",
                    "strict",
                    1,
                    policy,
                    "",
                    {{"frames", 10000},
                     {"feasible_frames", 10000},
                     {"missed_deadlines", missed},
                     {"avoidable_misses", missed},
                     {"vs_stock", energy},
                     {"others.vs_stock", others},
                     {"writes", 0}}});
  };
  add("late", 11, 0.5, 1);
  add("dear", 10, 0.9, 1);
  add("slow", 0, 0.4, 1.2);
  add("good", 10, 0.8, 1.1);
  const auto scores = frame_bench_scores(rows);
  ASSERT_EQ(scores.size(), 4U);
  EXPECT_EQ(scores[0].figures.policy, "good");
  EXPECT_EQ(scores[1].figures.policy, "dear");
  EXPECT_EQ(scores[2].figures.policy, "slow");
  EXPECT_EQ(scores[2].verdict, FrameBenchVerdict::kDelaysOthers);
  EXPECT_EQ(scores[3].verdict, FrameBenchVerdict::kLate);
}

TEST(FrameBench, IsSignedByWhatWasFound) {
  auto bench = *FrameBench::load();
  bench.plan.inputs.resize(1);  // a short one
  bench.plan.seeds.resize(1);
  bench.plan.devices.resize(1);
  bench.add({**find_policy("pid")});
  FrameBenchRun one(bench.plan);
  one.run_native(1);
  FrameBenchRun two(bench.plan);
  two.run_native(2);
  EXPECT_EQ(one.done(), bench.plan.runs());
  const std::string csv = *one.csv();
  EXPECT_EQ(csv, *two.csv());
  const std::string table = *frame_bench_table(bench, csv, "results");
  EXPECT_THAT(table, HasSubstr("results    " + sha256_hex(csv))) << "as sha256sum prints it";
  EXPECT_THAT(table, HasSubstr("pid"));
  std::string changed = csv;
  changed[csv.rfind(",0,") + 1] = '1';
  EXPECT_EQ(frame_bench_table(bench, changed, "results")->find(sha256_hex(csv)), std::string::npos);
}

}  // namespace
}  // namespace framegov::sim

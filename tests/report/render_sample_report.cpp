// SPDX-License-Identifier: Apache-2.0
// Prints a report of made-up runs: names that would break out, and many policies at nearly one
// point.
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "sim/report/report.h"
#include "sim/report/run_timeline.h"
#include "sim/results/ranking.h"

namespace {

using framegov::sim::RankedRun;
using nlohmann::json;

/// Wider than a phone, without a place to break it.
constexpr const char* kLongName =
    "arecordingwithanamethatiswiderthanthescreenofaphoneandhasnoplaceatwhichitcouldbebroken.json";

struct SamplePolicy {
  std::string name;
  double energy;
  double miss;
  double others;
};

std::vector<SamplePolicy> sample_policies() {
  std::vector<SamplePolicy> policies = {{"late and cheapest", 0.7, 0.64, 3},
                                        {"late and cheap", 0.9, 0.12, 1},
                                        {"<img src=x onerror=alert(1)>", 1.5, 0.0004, 1},
                                        {"on time, delays others", 1.2, 0.0004, 1.4},
                                        {"on time and dear", 2.9, 0, 0.8}};
  for (int i = 0; i < 16; ++i) {
    policies.push_back({"a-long-name-" + std::to_string(i), 1.3 + 0.002 * i, 0.05, 1});
  }
  return policies;
}

json sample_timeline(std::mt19937& random, const RankedRun& run, const char* device) {
  framegov::CpuTopology topology;
  topology.clusters.push_back({});
  topology.clusters[0].cpus = 0xf;
  topology.clusters[0].opps.push_back({.frequency = framegov::mhz(600), .speed = {}, .active = {}});
  topology.clusters[0].opps.push_back(
      {.frequency = framegov::mhz(1800), .speed = {}, .active = {}});
  framegov::sim::RunTimeline timeline(topology, 1e-3);
  std::lognormal_distribution<double> generation(2.3, 0.3);
  for (std::uint64_t i = 0; i < run.frames; ++i) {
    framegov::sim::PipelineFrame frame;
    frame.load.vsync = static_cast<double>(i) * 16.67e6;
    frame.load.deadline = frame.load.vsync + 16.67e6;
    frame.load.ui_work = 9000;
    frame.ready = frame.load.vsync + 1e6 * generation(random);
    timeline.on_frequency(frame.load.vsync, 0, i % 2);
    timeline.on_frame(frame, {.feasible = true, .late = i < run.missed});
  }
  json packed = timeline.pack(framegov::sim::kMostTimelineBytes);
  packed.update({{"input", run.input}, {"device", device}, {"policy", run.policy}});
  return packed;
}

json run_json(const RankedRun& run, const char* device) {
  return {{"input", run.input},
          {"device", device},
          {"policy", run.policy},
          {"frames", run.frames},
          {"feasible_frames", run.feasible},
          {"missed_deadlines", run.missed},
          {"avoidable_misses", run.avoidable},
          {"miss_rate", static_cast<double>(run.missed) / static_cast<double>(run.feasible)},
          {"energy_mj", 1000 * *run.vs_strict},
          {"mean_power_mw", 80 * *run.vs_strict},
          {"generation_ms", {{"p50", 9.1}, {"p95", 13.0}, {"p99", 15.5}}},
          {"vs_strict", *run.vs_strict},
          {"vs_buffered", *run.vs_buffered},
          {"vs_stock", *run.vs_stock},
          {"writes", run.writes}};
}

}  // namespace

int main() {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> jitter(0.95, 1.05);
  framegov::sim::Ranking ranking;
  json runs = json::array();
  json timelines = json::array();
  for (const char* input : {"scroll.json", kLongName, "</script><b>chat.json"}) {
    for (const char* device : {"tensor_g1", "sm8250"}) {
      for (const SamplePolicy& policy : sample_policies()) {
        const double energy = policy.energy * jitter(random);
        const auto missed = static_cast<std::uint64_t>(1000 * policy.miss * jitter(random));
        const RankedRun run{.policy = policy.name,
                            .input = input,
                            .frames = 1000,
                            .feasible = 1000,
                            .missed = missed,
                            .avoidable = missed,
                            .writes = 1800,
                            .vs_strict = energy,
                            .vs_buffered = energy * 1.05,
                            .vs_stock = energy / 1.6,
                            .frames_vs_bound = energy,
                            .others_vs_stock = policy.others};
        ranking.add(run);
        runs.push_back(run_json(run, device));
        timelines.push_back(sample_timeline(random, run, device));
      }
    }
  }
  const json times = {{"p50", 9.0}, {"p95", 13.0}, {"miss_rate", 0.01}};
  std::cout << framegov::sim::render_report(
      {{"runs", runs},
       {"rankings", {{"", framegov::sim::to_json(ranking.policies())}}},
       {"on_time", framegov::sim::kOnTime},
       {"timelines", timelines},
       {"loop", json::array({{{"scene", "</script><b>scroll"},
                              {"policy", "pid"},
                              {"phone", times},
                              {"sim", times}}})}});
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Prints a report of made-up runs: enough of everything that every part of the page has work.
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "sim/report/report.h"

namespace {

using nlohmann::json;

json sample_runs(std::mt19937& random) {
  json runs = json::array();
  std::uniform_real_distribution<double> jitter(0.95, 1.05);
  const struct {
    const char* policy;
    double energy;
    double miss;
  } policies[] = {{"schedutil", 1.05, 0.18},
                  {"schedutil-boost", 1.6, 0.02},
                  {"performance", 3.9, 0},
                  {"pid", 1.3, 0.0004},
                  {"<img src=x onerror=alert(1)>", 1.8, 0.01}};
  for (const char* input : {"scroll.json", "fling.json", "chat.json"}) {
    for (const char* device : {"tensor_g1", "sm8250"}) {
      for (const auto& policy : policies) {
        const double ratio = policy.energy * jitter(random);
        runs.push_back({{"input", input},
                        {"device", device},
                        {"policy", policy.policy},
                        {"deadline", "strict"},
                        {"frames", 1000},
                        {"feasible_frames", 990},
                        {"missed_deadlines", std::lround(990 * policy.miss)},
                        {"miss_rate", policy.miss},
                        {"janky_frames", std::lround(990 * policy.miss)},
                        {"energy_mj", 1000 * ratio},
                        {"mean_power_mw", 80 * ratio},
                        {"generation_ms", {{"p50", 9.1}, {"p95", 13.0}, {"p99", 15.5}}},
                        {"vs_strict", ratio},
                        {"vs_buffered", ratio * 1.05},
                        {"vs_stock", ratio / 1.6},
                        {"writes", 1800},
                        {"transitions", 900}});
      }
    }
  }
  return runs;
}

json sample_timeline(std::mt19937& random) {
  std::lognormal_distribution<double> generation(2.3, 0.3);
  json frames = json::array();
  json times = json::array();
  json caps = json::array();
  for (int i = 0; i < 400; ++i) {
    const double ms = generation(random);
    frames.push_back({i * 16.67, ms, 16.67, ms * 1.4, ms > 16.67 ? 1 : 0});
    times.push_back(i * 16.67);
    caps.push_back(1200 + 100 * (i % 7));
  }
  const json cluster = {
      {"name", "big"}, {"t", times}, {"cap", caps}, {"floor", caps}, {"current", caps}};
  return {{"input", "scroll.json"},
          {"device", "tensor_g1"},
          {"policy", "pid"},
          {"frames", frames},
          {"clusters", json::array({cluster})}};
}

}  // namespace

int main() {
  std::mt19937 random(1);
  const json times = {{"p50", 9.0}, {"p95", 13.0}, {"miss_rate", 0.01}};
  const json data = {{"runs", sample_runs(random)},
                     {"timelines", json::array({sample_timeline(random)})},
                     {"loop", json::array({{{"scene", "</script><b>scroll"},
                                            {"policy", "pid"},
                                            {"phone", times},
                                            {"sim", times}}})}};
  std::cout << framegov::sim::render_report(data);
  return 0;
}

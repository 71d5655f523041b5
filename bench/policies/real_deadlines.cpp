// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/real_deadlines.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace framegov::sim {

namespace {

constexpr double kTargetPercent = 0.1;  ///< mpc's default eps
constexpr double kMostOfStock = 0.85;
constexpr double kLosing = 1.01;

void print_share_of_platform(const Ground& ground) {
  std::size_t frames = 0;
  std::size_t platform = 0;
  for (const ReplayInput& input : ground.inputs) {
    if (const auto* recording = std::get_if<std::shared_ptr<const Workload>>(&input.load)) {
      const std::vector<WorkloadFrame>& each = (*recording)->frames;
      frames += each.size();
      platform += static_cast<std::size_t>(
          std::count_if(each.begin(), each.end(), [](const WorkloadFrame& frame) {
            return frame.deadline_edge == DeadlineEdge::kPlatform;
          }));
    }
  }
  std::printf("real deadlines: the platform's own for %zu of %zu frames, else the next vsync\n",
              platform, frames);
}

void print_row(const std::string& name, const RunTable& runs, const std::string& policy) {
  std::printf("  %-10s %-6s %10.3f %12.3f %8.2f %9.2f\n", name.c_str(), policy.c_str(),
              runs.missed_percent(policy),
              runs.mean_ratio(runs.energy(policy), runs.energy("schedutil-boost")),
              runs.per_frame(policy, &PlantTotals::writes),
              runs.per_frame(policy, &PlantTotals::wakeups));
}

}  // namespace

void print_deadlines(const RunTable& real, const RunTable& strict, const RunTable& buffered) {
  print_share_of_platform(real.ground());
  std::printf("  deadlines  policy   missed %%  / boost's mJ   writes   wakeups\n");
  for (const auto& [name, runs] :
       {std::pair{"real", &real}, std::pair{"strict", &strict}, std::pair{"buffered", &buffered}}) {
    for (const char* policy : {"mpc", "pid"}) {
      print_row(name, *runs, policy);
    }
  }
}

void against_losing(const RunTable& real, BarTable& bars) {
  const Ground& ground = real.ground();
  double farthest = 0;
  std::string at;
  for (std::size_t d = 0; d < ground.devices.size(); ++d) {
    const double off = std::abs(real.missed_percent("mpc", real.on_device(d)) - kTargetPercent);
    if (off > farthest) {
      farthest = off;
      at = ground.devices[d].name;
    }
  }
  bars.at_most("real deadlines: mpc missed - target, points",
               std::abs(real.missed_percent("mpc") - kTargetPercent), 0.05,
               text("farthest on %s: %.3f", at.c_str(), farthest));
  bars.at_most("real deadlines: mpc energy / schedutil-boost's",
               real.mean_ratio(real.energy("mpc"), real.energy("schedutil-boost")), kMostOfStock,
               "goal 0.80");

  std::vector<std::pair<double, std::string>> lost;
  for (std::size_t scene = 0; scene < ground.scenes(); ++scene) {
    const PlantTotals& mpc = real.totals(scene, "mpc");
    for (const char* rival : {"performance", "schedutil-boost"}) {
      const PlantTotals& its = real.totals(scene, rival);
      const double ratio = mpc.energy_mj() / its.energy_mj();
      if (ratio > kLosing && its.missed <= mpc.missed) {
        lost.emplace_back(
            ratio, text("%s: mpc missed %llu at %.0f mJ, %s %llu at %.0f mJ",
                        ground.name_of(scene).c_str(), static_cast<unsigned long long>(mpc.missed),
                        mpc.energy_mj(), rival, static_cast<unsigned long long>(its.missed),
                        its.energy_mj()));
      }
    }
  }
  std::sort(lost.rbegin(), lost.rend());
  bars.at_most("real deadlines: inputs x phones that mpc loses", static_cast<double>(lost.size()),
               0, text("of %zu, to full speed or schedutil-boost", 2 * ground.scenes()));
  for (const auto& [ratio, each] : lost) {
    std::printf("lost by %.2f: %s\n", ratio, each.c_str());
  }
}

}  // namespace framegov::sim

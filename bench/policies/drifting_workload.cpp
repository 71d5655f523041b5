// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/drifting_workload.h"

#include <cmath>
#include <numbers>
#include <random>

namespace framegov::sim {

namespace {

constexpr double kHz = 60;
constexpr double kApps[] = {0.17, 0.26, 0.36};  ///< mean work, parts of an interval
constexpr double kSecondsInApp = 20;
constexpr double kDeviation = 0.30;
constexpr double kCorrelation = 0.7;

}  // namespace

std::shared_ptr<const Workload> drifting_workload(std::size_t frames, std::uint64_t seed,
                                                  const DeviceTables& tables) {
  auto workload = std::make_shared<Workload>();
  workload->source = "drifting";
  workload->interval = std::chrono::nanoseconds{16'666'667};
  const Frequency top = khz(static_cast<std::int64_t>(tables.reference_hz / 1e3));
  workload->reference = {"the phone's fastest", top, tables.reference_coremark};
  workload->clusters.push_back({0, 0xf, top, 1.0});
  workload->has_work = true;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> part(0, 1);
  std::normal_distribution<double> normal;
  double log_work = 0;
  int burst = 0;
  Instant at = instant_from_ns(1'000'000'000);
  for (std::size_t i = 0; i < frames; ++i) {
    const bool pause = part(random) < 0.005;
    at += workload->interval * (pause ? 40 : 1);
    burst = burst > 0 ? burst - 1 : (part(random) < 0.003 ? 15 : 0);
    log_work = kCorrelation * log_work +
               std::sqrt(1 - kCorrelation * kCorrelation) * kDeviation * normal(random);
    const double seconds = static_cast<double>(to_ns(at)) * 1e-9;
    const double drift = std::exp(0.47 * std::sin(2 * std::numbers::pi * seconds / 60));
    WorkloadFrame frame;
    frame.vsync = at;
    frame.interval = workload->interval;
    frame.deadline = at + workload->interval;
    frame.app = static_cast<std::uint32_t>(seconds / kSecondsInApp) % std::size(kApps);
    frame.render.work = Work{kApps[frame.app] * drift * std::exp(log_work) *
                             (burst > 0 ? 1.8 : 1.0) / kHz * tables.reference_hz};
    frame.render.cluster = 0;
    frame.ui.cluster = 0;
    workload->frames.push_back(frame);
  }
  for (std::size_t app = 0; app < std::size(kApps); ++app) {
    workload->apps.push_back({"app" + std::to_string(app), static_cast<std::int32_t>(app) + 1});
  }
  return workload;
}

}  // namespace framegov::sim

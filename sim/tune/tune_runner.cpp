// SPDX-License-Identifier: Apache-2.0
#include "sim/tune/tune_runner.h"

#include <cmath>

#include "sim/results/scorecard.h"
#include "sim/run/on_threads.h"

namespace framegov::sim {

TuneFigures TuneFigures::of(std::span<const TuneRun> runs, const TuneMask& counted) {
  double frames = 0;
  double log_energy = 0;
  double frames_with_others = 0;
  double log_others = 0;
  double feasible = 0;
  double missed = 0;
  for (const TuneRun& run : runs) {
    if (!counted[run.recording]) {
      continue;
    }
    frames += run.frames;
    log_energy += run.frames * std::log(run.energy);
    if (run.others) {
      frames_with_others += run.frames;
      log_others += run.frames * std::log(*run.others);
    }
    feasible += run.feasible;
    missed += run.missed;
  }
  return {.energy = frames > 0 ? std::exp(log_energy / frames) : 0,
          .missed = feasible > 0 ? missed / feasible : 0,
          .others = frames_with_others > 0 ? std::exp(log_others / frames_with_others) : 0};
}

TuneRunner::TuneRunner(const std::vector<ReplayInput>& recordings,
                       const std::vector<ReplayDevice>& devices, const TuneSpace& space,
                       const ReplaySettings& settings, std::size_t jobs)
    : space_(space),
      policy_(*find_policy(space.policy())),
      settings_(settings),
      jobs_(jobs),
      recordings_(recordings.size()),
      devices_(devices.size()) {
  for (const ReplayInput& recording : recordings) {
    for (const ReplayDevice& device : devices) {
      scenes_.emplace_back(recording, device, settings_.deadline, settings_.world());
    }
  }
  reference_.resize(scenes_.size());
  const PolicyEntry& stock = **find_policy(kStockPolicy);
  on_threads(scenes_.size(), jobs_, [&](std::size_t scene) {
    reference_[scene] = replay(scenes_[scene], stock, settings_);
  });
}

void TuneRunner::run(const std::vector<TuneValues>& batch) {
  std::vector<std::pair<const TuneValues*, std::vector<TuneRun>*>> fresh;
  for (const TuneValues& values : batch) {
    const auto [place, is_new] = done_.try_emplace(values, scenes_.size());
    if (is_new) {
      fresh.emplace_back(&place->first, &place->second);
    }
  }
  on_threads(fresh.size() * scenes_.size(), jobs_, [&](std::size_t i) {
    const auto& [values, runs] = fresh[i / scenes_.size()];
    const std::size_t scene = i % scenes_.size();
    ReplaySettings settings = settings_;
    settings.policy = space_.settings(*values);
    (*runs)[scene] = beside_reference(replay(scenes_[scene], *policy_, settings), scene);
  });
  asked_ += batch.size();
}

TuneRun TuneRunner::beside_reference(const RunResult& run, std::size_t scene) const {
  const ScoredRun scored = score({run, reference_[scene]}, {}).front();
  return {.recording = scene / devices_,
          .frames = static_cast<double>(run.totals.frames),
          .feasible = static_cast<double>(run.totals.feasible),
          .missed = static_cast<double>(run.totals.missed),
          .energy = scored.vs_stock.value_or(1),
          .others = scored.others_vs_stock};
}

}  // namespace framegov::sim

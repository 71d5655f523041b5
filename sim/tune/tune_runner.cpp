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
                       const ReplaySettings& settings, std::size_t jobs, std::size_t helpers)
    : space_(space),
      policy_(*find_policy(space.policy())),
      settings_(settings),
      jobs_(jobs),
      recordings_(recordings.size()),
      devices_(devices.size()),
      queue_(threads_of(jobs) + helpers) {
  for (const ReplayInput& recording : recordings) {
    for (const ReplayDevice& device : devices) {
      scenes_.emplace_back(recording, device, settings_.deadline, settings_.world());
    }
  }
  reference_.resize(scenes_.size());
  const PolicyEntry& stock = **find_policy(kStockPolicy);
  on_threads(scenes_.size(), jobs_, [&](std::size_t scene) {
    reference_[scene] = sim::replay(scenes_[scene], stock, settings_);
  });
}

void TuneRunner::run(const std::vector<TuneValues>& batch) {
  std::vector<TuneUnit> fresh;
  for (const TuneValues& values : batch) {
    if (done_.try_emplace(values, scenes_.size()).second) {
      for (std::size_t scene = 0; scene < scenes_.size(); ++scene) {
        fresh.push_back({scene, values});
      }
    }
  }
  queue_.add(fresh);
  work_off(queue_, jobs_, [this] {
    return [this](const TuneUnit& unit) {
      keep(unit, replay(unit));
      return true;
    };
  });
  asked_ += batch.size();
}

void TuneRunner::keep(const TuneUnit& unit, TuneRun run) {
  run.recording = unit.scene / devices_;
  done_.at(unit.values)[unit.scene] = run;
}

TuneRun TuneRunner::replay(const TuneUnit& unit) const {
  ReplaySettings settings = settings_;
  settings.policy = space_.settings(unit.values);
  const RunResult run = sim::replay(scenes_[unit.scene], *policy_, settings);
  const ScoredRun scored = score({run, reference_[unit.scene]}, {}).front();
  return {.recording = unit.scene / devices_,
          .frames = static_cast<double>(run.totals.frames),
          .feasible = static_cast<double>(run.totals.feasible),
          .missed = static_cast<double>(run.totals.missed),
          .energy = scored.vs_stock.value_or(1),
          .others = scored.others_vs_stock};
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "bench/policies/run_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <thread>

namespace framegov::sim {

void in_parallel(std::size_t count, std::size_t jobs,
                 const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next{0};
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      work(i);
    }
  };
  std::vector<std::jthread> threads;
  const std::size_t wanted = jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : jobs;
  for (std::size_t i = 1; i < wanted; ++i) {
    threads.emplace_back(loop);
  }
  loop();
}

void Ground::find_bounds() {
  bounds.resize(scenes());
  serving_bounds.resize(scenes());
  in_parallel(scenes(), jobs, [&](std::size_t i) {
    const ReplayDevice& device = device_of(i);
    const ReplayScene scene(input_of(i), device, DeadlineMode::kStrict, world);
    const auto clusters = world.moves_threads() ? FrameClusters::kAny : FrameClusters::kRecorded;
    bounds[i] = input_bounds(*scene.open(), device.tables, OthersWork::kMayWait, clusters);
    serving_bounds[i] = input_bounds(*scene.open(), device.tables, OthersWork::kIsDone, clusters);
  });
}

RunTable::RunTable(const Ground& ground, std::vector<std::string> policies,
                   const ReplaySettings& settings)
    : ground_(&ground), policies_(std::move(policies)) {
  std::vector<const PolicyEntry*> entries;
  for (const std::string& name : policies_) {
    const Result<const PolicyEntry*> entry = find_policy(name);
    if (!entry) {
      throw std::invalid_argument(entry.error().to_string());
    }
    entries.push_back(*entry);
  }
  run(entries, settings);
}

RunTable RunTable::of_entry(const Ground& ground, const PolicyEntry& policy,
                            const ReplaySettings& settings) {
  RunTable table(ground);
  table.policies_ = {policy.name};
  table.run({&policy}, settings);
  return table;
}

void RunTable::run(const std::vector<const PolicyEntry*>& entries, const ReplaySettings& settings) {
  std::atomic<std::size_t> done{0};
  ReplaySettings here = settings;
  here.plant.world = ground_->world;
  runs_ = replay_all(ground_->inputs, ground_->devices, entries, here, ground_->jobs, done);
}

const PlantTotals& RunTable::totals(std::size_t scene, std::string_view policy) const {
  const auto found = std::find(policies_.begin(), policies_.end(), policy);
  if (found == policies_.end()) {
    throw std::invalid_argument("no runs of " + std::string(policy));
  }
  const auto index = static_cast<std::size_t>(found - policies_.begin());
  return runs_.at(scene * policies_.size() + index).totals;
}

RunTable::Energy RunTable::energy(std::string_view policy) const {
  return [this, name = std::string(policy)](std::size_t scene) {
    return totals(scene, name).energy_mj();
  };
}

RunTable::Energy RunTable::strict_bound() const {
  return [this](std::size_t scene) { return ground_->bounds[scene].strict_mj; };
}

RunTable::Energy RunTable::buffered_bound() const {
  return [this](std::size_t scene) { return ground_->bounds[scene].buffered_mj; };
}

RunTable::Energy RunTable::serving_strict_bound() const {
  return [this](std::size_t scene) { return ground_->serving_bounds[scene].strict_mj; };
}

RunTable::Energy RunTable::serving_buffered_bound() const {
  return [this](std::size_t scene) { return ground_->serving_bounds[scene].buffered_mj; };
}

double RunTable::mean_ratio(const Energy& a, const Energy& b, const Filter& filter) const {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t scene = 0; scene < ground_->scenes(); ++scene) {
    if (!filter || filter(scene)) {
      sum += std::log(a(scene) / b(scene));
      ++count;
    }
  }
  return count > 0 ? std::exp(sum / static_cast<double>(count)) : 0;
}

double RunTable::missed_percent(std::string_view policy, const Filter& filter) const {
  double missed = 0;
  double feasible = 0;
  for (std::size_t scene = 0; scene < ground_->scenes(); ++scene) {
    if (!filter || filter(scene)) {
      missed += static_cast<double>(totals(scene, policy).missed);
      feasible += static_cast<double>(totals(scene, policy).feasible);
    }
  }
  return feasible > 0 ? 100 * missed / feasible : 0;
}

double RunTable::per_frame(std::string_view policy, std::uint64_t PlantTotals::*count) const {
  double counted = 0;
  double frames = 0;
  for (std::size_t scene = 0; scene < ground_->scenes(); ++scene) {
    const PlantTotals& run = totals(scene, policy);
    counted += static_cast<double>(run.*count);
    frames += static_cast<double>(run.frames);
  }
  return frames > 0 ? counted / frames : 0;
}

RunTable::Filter RunTable::on_device(std::size_t device) const {
  return [this, device](std::size_t scene) { return scene % ground_->devices.size() == device; };
}

}  // namespace framegov::sim

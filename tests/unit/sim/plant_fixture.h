// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sim/plant/plant.h"

namespace framegov::test {}  // namespace framegov::test

namespace framegov::sim::test {

using namespace framegov::test;

inline constexpr double kMs = 1e6;

/// One cluster of two cores: 500 MHz at half the reference speed and 1000 MHz at all of it; busy
/// cores take 100 and 400 mW, the cluster 10 and 20 mW, WFI 5 mW.
inline DeviceModel two_speed_phone(int transition_us = 400, const std::string& cpus = "[0, 1]") {
  const auto device = parse_device(
      "name: two\nmodel: test\nclusters:\n"
      "  - {policy: 0, cpus: " +
          cpus + ", core: test, coremark_per_mhz: 10, transition_latency_us: " +
          std::to_string(transition_us) +
          ", idle_state: {entry_us: 0, exit_us: 0, min_residency_us: 3000},\n"
          "     opps: [[500000, 512, 100, 10, 5], [1000000, 1024, 400, 20, 5]]}\n",
      "two");
  return *device;
}

/// Frames from a list, of apps 0 and up; nothing else.
class ListSource final : public FittedSource {
 public:
  explicit ListSource(std::vector<FittedFrame> frames) : frames_(std::move(frames)) {
    for (const FittedFrame& frame : frames_) {
      apps_ = std::max(apps_, frame.app + std::size_t{1});
    }
    next_of_.resize(apps_);
  }
  [[nodiscard]] std::size_t apps() const override { return apps_; }
  bool next_frame_of(std::size_t app, FittedFrame& frame) override {
    std::size_t& next = next_of_[app];
    while (next < frames_.size() && frames_[next].app != app) {
      ++next;
    }
    if (next == frames_.size()) {
      return false;
    }
    frame = frames_[next++];
    return true;
  }
  bool next_frame(FittedFrame& frame) override {
    if (next_ == frames_.size()) {
      return false;
    }
    frame = frames_[next_++];
    return true;
  }
  bool next_touch(double&) override { return false; }
  std::span<const FittedLoad> next_load(double&) override { return {}; }

 private:
  std::vector<FittedFrame> frames_;
  std::size_t next_ = 0;
  std::size_t apps_ = 1;
  std::vector<std::size_t> next_of_;
};

/// A frame at `vsync` ms on a display of 10 ms, work and fixed time in ms.
inline FittedFrame frame_at(double vsync_ms, double ui_work, double render_work) {
  FittedFrame frame;
  frame.vsync = vsync_ms * kMs;
  frame.interval = 10 * kMs;
  frame.deadline = frame.vsync + frame.interval;
  frame.ui_work = ui_work * kMs;
  frame.render_work = render_work * kMs;
  return frame;
}

/// Answers each event with what a function says.
class ScriptedPolicy final : public Policy {
 public:
  using Script = std::function<void(const PolicyInput&, FrequencyPlan&)>;
  explicit ScriptedPolicy(Script script) : script_(std::move(script)) {}

  const FrequencyPlan& step(const PolicyInput& input) override {
    plan_ = FrequencyPlan::uncapped(1, ReasonCode::kFixed);
    script_(input, plan_);
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "scripted"; }

 private:
  Script script_;
  FrequencyPlan plan_;
};

/// Keeps every frame.
class FrameLog final : public PlantObserver {
 public:
  struct Entry {
    PipelineFrame frame;
    bool feasible;
    bool janky;
    bool stuffed;
  };
  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override {
    entries.push_back({frame, verdict.feasible, verdict.janky, verdict.stuffed});
  }
  void on_frequency(double now, std::size_t, std::uint8_t opp) override {
    changes.emplace_back(now, opp);
  }
  [[nodiscard]] double ready_ms(std::size_t i) const { return entries[i].frame.ready / kMs; }

  std::vector<Entry> entries;
  std::vector<std::pair<double, std::uint8_t>> changes;
};

struct Outcome {
  PlantTotals totals;
  FrameLog log;
};

/// A kernel that remembers nothing of a thread's earlier stages: a first frame is as any other.
inline PlantSettings forgetful_kernel() {
  PlantSettings settings;
  settings.util_est = false;
  return settings;
}

/// Runs frames on a phone under a policy that holds the lowest frequency unless `script` says
/// otherwise.
inline Outcome run_plant(const DeviceModel& device, std::vector<FittedFrame> frames,
                         const ScriptedPolicy::Script& script,
                         PlantSettings settings = forgetful_kernel()) {
  settings.policy_watches_frames = false;
  const DeviceTables tables(device);
  const CpuTopology topology = kernel_topology(device, EnergyModel::kExact);
  ListSource source(std::move(frames));
  ScriptedPolicy policy(script);
  Plant plant(tables, topology, settings, source, policy);
  Outcome outcome;
  outcome.totals = plant.run(&outcome.log);
  return outcome;
}

inline void hold_lowest(const PolicyInput&, FrequencyPlan& plan) {
  plan.clusters[0].cap = khz(500'000);
}

}  // namespace framegov::sim::test

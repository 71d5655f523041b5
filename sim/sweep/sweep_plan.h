// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/devices/device_catalog.h"
#include "sim/devices/device_model.h"
#include "sim/plant/world.h"
#include "sim/run/policy_registry.h"
#include "sim/run/replay.h"
#include "sim/workload/synthetic.h"

namespace framegov::sim {

/// A recording, which is read when its turn comes, or a generator's settings.
struct SweepInput {
  std::string name;            ///< as results call it: as the plan does, from the plan's folder
  std::filesystem::path path;  ///< of a recording; empty where it is generated
  SyntheticSettings generated = {};  ///< without its seed

  [[nodiscard]] bool is_generated() const { return path.empty(); }
};

struct SweepWorld {
  std::string name;  ///< "phone placement=eas-6.12"
  World world;       ///< without its seed
};

/// A policy with one choice of its parameters.
struct SweepPolicy {
  PolicyEntry entry;
  PolicySettings settings = {};
  std::string parameters = {};  ///< "eps=0.01 margin=0.1": those that the plan sets
  /// The entry for runs on the phone of that name, where it needs to know; may be empty.
  std::function<PolicyEntry(const std::string&)> on_device = {};

  /// "mpc eps=0.01"
  [[nodiscard]] std::string name() const {
    return parameters.empty() ? entry.name : entry.name + ' ' + parameters;
  }
};

/// What all policies of a plan run on together.
struct SweepScene {
  std::size_t input{};
  std::size_t device{};
  std::size_t world{};
  std::uint64_t seed{};
};

/// Enough that fitting the scene anew weighs little, few enough to share out a single scene.
inline constexpr std::size_t kUnitRuns = 8;

/// A unit of work, or what is left to do of it.
struct SweepUnit {
  std::size_t number{};
  std::uint8_t runs{};  ///< bit i: variant i of the unit's kUnitRuns is to do

  friend bool operator==(const SweepUnit&, const SweepUnit&) = default;

  [[nodiscard]] std::size_t scene(std::size_t units_of_a_scene) const {
    return number / units_of_a_scene;
  }
  [[nodiscard]] std::size_t first_variant(std::size_t units_of_a_scene) const {
    return number % units_of_a_scene * kUnitRuns;
  }
};

/// Inputs x devices x worlds x seeds, the scenes, each under every policy. Runs are counted and
/// found by number, never listed: there may be millions.
struct SweepPlan {
  std::vector<SweepInput> inputs;
  std::vector<DeviceModel> devices;
  std::vector<SweepWorld> worlds;
  std::vector<std::uint64_t> seeds;
  std::vector<SweepPolicy> policies;
  DeadlineMode deadline = DeadlineMode::kStrict;
  bool drop_late = false;
  bool bounds = false;      ///< each scene's bounds are computed too: one more run of it
  std::string recorded_on;  ///< ImportOptions::recorded_on

  [[nodiscard]] std::size_t scenes() const {
    return inputs.size() * devices.size() * worlds.size() * seeds.size();
  }
  /// Scenes of the same input follow each other.
  [[nodiscard]] SweepScene scene(std::size_t number) const;
  /// Of a scene: one for each policy, in their order, and behind them the bounds.
  [[nodiscard]] std::size_t variants() const { return policies.size() + (bounds ? 1 : 0); }
  [[nodiscard]] std::size_t runs() const { return scenes() * variants(); }
  /// Work is handed out in units: up to kUnitRuns runs of one scene.
  [[nodiscard]] std::size_t units() const { return scenes() * units_of_a_scene(); }
  [[nodiscard]] std::size_t units_of_a_scene() const {
    return (variants() + kUnitRuns - 1) / kUnitRuns;
  }
  /// It is one of the plan's units, and there is something to do of it.
  [[nodiscard]] bool has(const SweepUnit& unit) const;
  /// Those that are to do of it, ascending.
  [[nodiscard]] std::vector<std::size_t> variants_of(const SweepUnit& unit) const;
  [[nodiscard]] bool is_bounds(std::size_t variant) const { return variant == policies.size(); }
  /// Of everything in it, files by their names alone: equal plans have equal ones.
  [[nodiscard]] std::string sha256() const;
};

/// More runs than this are a slip of the pen.
inline constexpr std::size_t kMostSweepRuns = 1'000'000'000;

/// The plan that YAML text holds (docs/sweep.md); `name` stands for the file in messages, `folder`
/// is where its paths begin. Phones come from `catalog`. Errors name file:line, what is wrong and
/// which names there are. Recordings are looked for, not opened.
[[nodiscard]] Result<SweepPlan> parse_sweep_plan(const std::string& yaml, const std::string& name,
                                                 const std::filesystem::path& folder,
                                                 const DeviceCatalog& catalog);

}  // namespace framegov::sim

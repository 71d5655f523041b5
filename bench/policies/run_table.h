// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/bounds/input_bounds.h"
#include "sim/run/replay.h"

namespace framegov::sim {

/// Inputs and phones with their bounds: what every run of the bench is made of.
struct Ground {
  std::vector<ReplayInput> inputs;
  std::vector<ReplayDevice> devices;
  std::size_t jobs = 0;
  std::vector<InputBounds> bounds;  ///< [input * devices + device]
  /// The same for schedulers that leave nothing of others' work undone.
  std::vector<InputBounds> serving_bounds;
  World world;  ///< all runs and bounds are in it, whatever their settings say

  void find_bounds();
  /// Every input on every phone.
  [[nodiscard]] std::size_t scenes() const { return inputs.size() * devices.size(); }
  [[nodiscard]] const ReplayInput& input_of(std::size_t scene) const {
    return inputs[scene / devices.size()];
  }
  [[nodiscard]] const ReplayDevice& device_of(std::size_t scene) const {
    return devices[scene % devices.size()];
  }
  [[nodiscard]] std::string name_of(std::size_t scene) const {
    return input_of(scene).name + " on " + device_of(scene).name;
  }
};

/// Every input x phone under some policies, and means over them.
class RunTable {
 public:
  /// `ground` must outlive the table.
  RunTable(const Ground& ground, std::vector<std::string> policies, const ReplaySettings& settings);
  /// Of one policy, which the registry need not have.
  [[nodiscard]] static RunTable of_entry(const Ground& ground, const PolicyEntry& policy,
                                         const ReplaySettings& settings);

  /// Which scenes count: index into `ground.scenes()`. Empty: all.
  using Filter = std::function<bool(std::size_t scene)>;

  /// `policy` must be one of the table's.
  [[nodiscard]] const PlantTotals& totals(std::size_t scene, std::string_view policy) const;
  /// Energy in mJ of a policy or of a bound: what ratios are made of.
  using Energy = std::function<double(std::size_t scene)>;
  [[nodiscard]] Energy energy(std::string_view policy) const;
  [[nodiscard]] Energy strict_bound() const;
  [[nodiscard]] Energy buffered_bound() const;
  /// The bounds of schedulers that leave nothing of others' work undone.
  [[nodiscard]] Energy serving_strict_bound() const;
  [[nodiscard]] Energy serving_buffered_bound() const;
  /// Geometric mean of a / b.
  [[nodiscard]] double mean_ratio(const Energy& a, const Energy& b,
                                  const Filter& filter = {}) const;
  /// Missed of feasible deadlines, in %.
  [[nodiscard]] double missed_percent(std::string_view policy, const Filter& filter = {}) const;
  /// Of what a run counts, how many come to each frame.
  [[nodiscard]] double per_frame(std::string_view policy, std::uint64_t PlantTotals::*count) const;
  /// Writes and wakeups.
  [[nodiscard]] double acts_per_frame(std::string_view policy) const {
    return per_frame(policy, &PlantTotals::writes) + per_frame(policy, &PlantTotals::wakeups);
  }

  [[nodiscard]] const Ground& ground() const { return *ground_; }
  [[nodiscard]] Filter on_device(std::size_t device) const;

 private:
  explicit RunTable(const Ground& ground) : ground_(&ground) {}
  void run(const std::vector<const PolicyEntry*>& entries, const ReplaySettings& settings);

  const Ground* ground_;
  std::vector<std::string> policies_;
  std::vector<RunResult> runs_;
};

/// Calls `work(i)` for each i below `count`, on `jobs` threads (0: one for each CPU).
void in_parallel(std::size_t count, std::size_t jobs, const std::function<void(std::size_t)>& work);

}  // namespace framegov::sim

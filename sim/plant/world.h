// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

/// When a limit that was written is in force.
enum class LimitsKind : std::uint8_t {
  kInstant,
  kFastSwitch,  ///< at the cluster's next update of utilisation: up to a tick later
  kWorkItem,    ///< when the kernel's worker has run: 50 to 300 us later
};

/// World::tail of scenes whose own upper quantiles say how heavy the cut-off frames were.
inline constexpr double kFittedTail = -1;

/// What a replay is as hard as. Each factor is one that phones have and a kind replay leaves out
/// (docs/simulator/worlds.md); the defaults leave out all of them. Equal worlds and equal seeds
/// give equal runs.
struct World {
  PlacementKind placement = PlacementKind::kPinned;
  LimitsKind limits = LimitsKind::kInstant;
  EnergyModel power = EnergyModel::kExact;  ///< what the policy knows of power
  double work_noise = 0;                    ///< deviation of the work that it sees, as a part
  bool work_at_ticks = false;               ///< CPU times are read at the last scheduler tick
  Duration event_latency{};                 ///< mean, exponential: hidden from the policy
  /// Frames at a scene's recording limit are limit x (1 + Exp(tail)); zero: as recorded.
  double tail = 0;
  bool split = false;  ///< frames of one stage have UI and render shares as real apps'
  std::uint64_t seed = 1;

  [[nodiscard]] static constexpr World ideal() { return {}; }
  [[nodiscard]] static constexpr World phone() {
    World world;
    world.placement = PlacementKind::kDevice;
    world.limits = LimitsKind::kFastSwitch;
    world.power = EnergyModel::kTable;
    world.work_noise = 0.10;
    world.event_latency = std::chrono::microseconds{200};
    world.tail = kFittedTail;
    world.split = true;
    return world;
  }

  /// The kernel chooses CPUs.
  [[nodiscard]] bool moves_threads() const { return placement != PlacementKind::kPinned; }
  /// "phone", "ideal", or one of them and what differs: "ideal with placement eas-6.1".
  [[nodiscard]] std::string name() const;
  /// All factors, for whoever wants to repeat a run: "placement eas-6.1, limits fast-switch, ...".
  [[nodiscard]] std::string factors() const;

  bool operator==(const World&) const = default;
};

[[nodiscard]] std::string_view limits_name(LimitsKind limits);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu_topology.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/event_slots.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// The OPPs that a cluster may use, as scaling_min_freq and scaling_max_freq leave them.
struct OppRange {
  std::uint8_t floor = 0;
  std::uint8_t cap = 0;
  constexpr bool operator==(const OppRange&) const = default;
};

/// The kernel's governor: schedutil for each cluster, and the clusters' clocks.
///
/// Chooses the lowest OPP at or above 1.25 * top frequency * utilisation / capacity
/// (kernel/sched/cpufreq_schedutil.c), not more often than the rate limit, between floor and cap;
/// cap wins. New limits act at once where the current OPP is outside them, or with kFastSwitch at
/// the next update of utilisation (sugov_limits() only sets a flag); a cap that rises is used
/// at that update in any case, as in the kernel. A change takes the cluster's transition
/// latency, in which the old OPP runs on; a further request waits for it.
class BaseGovernor {
 public:
  BaseGovernor(const DeviceTables& tables, double rate_limit_ns, EventSlots& slots,
               LimitsKind limits = LimitsKind::kInstant);

  /// Utilisation of the cluster's busiest CPU, as a share of the reference speed.
  void update(std::size_t cluster, double util, double now) {
    Clock& clock = clocks_[cluster];
    const double wanted = util * clock.khz_per_util;
    if (wanted > clock.above_khz && wanted <= clock.up_to_khz) {
      clock.limits_changed = false;
    } else {
      ask(cluster, wanted, now);
    }
  }
  void set_limits(std::size_t cluster, OppRange range, double now);
  /// The transition under way has come to its end. The OPP is then another.
  void finish_transition(std::size_t cluster, double now);

  [[nodiscard]] std::uint8_t opp(std::size_t cluster) const { return clocks_[cluster].opp; }
  /// Clusters (bits) whose present OPP is outside the limits until their utilisation is updated.
  [[nodiscard]] std::uint32_t awaits_update() const { return awaits_update_; }
  [[nodiscard]] OppRange limits(std::size_t cluster) const { return clocks_[cluster].range; }
  [[nodiscard]] std::uint64_t transitions() const { return transitions_; }

 private:
  struct Clock {
    OppRange range;
    std::uint8_t opp = 0;       ///< runs now
    std::uint8_t target = 0;    ///< asked for
    std::uint8_t arriving = 0;  ///< what the transition under way leads to
    bool changing = false;
    bool limits_changed = false;
    double last_request = -EventSlots::kNever;
    std::span<const double> khz;  ///< by OPP
    double latency_ns = 0;        ///< of a transition
    double khz_per_util = 0;
    double above_khz = -1;  ///< a wish for more than this
    double up_to_khz = -1;  ///< and not more than this leaves the target as it is
  };

  static void set_band(Clock& clock);
  void ask(std::size_t cluster, double wanted_khz, double now);
  void request(std::size_t cluster, std::uint8_t target, double now);

  const DeviceTables* tables_;
  double rate_limit_ns_;
  EventSlots* slots_;
  bool fast_switch_;
  std::uint32_t awaits_update_ = 0;
  std::array<Clock, kMaxClusters> clocks_{};
  std::uint64_t transitions_ = 0;
};

}  // namespace framegov::sim

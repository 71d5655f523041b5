// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/static_vector.h"
#include "base/time.h"
#include "base/units.h"

namespace framegov {

inline constexpr std::size_t kMaxClusters = 8;
inline constexpr std::size_t kMaxOpps = 64;
inline constexpr std::size_t kMaxCpus = 64;

/// One operating performance point of a cluster.
struct Opp {
  Frequency frequency;
  Speed speed;   ///< of one core of the cluster at this frequency
  Power active;  ///< one core busy at this frequency, above idle

  /// mJ per reference cycle: what a unit of work costs here.
  [[nodiscard]] constexpr double energy_per_work() const { return active.count() / speed.count(); }
};

/// CPUs that share a frequency. cpufreq calls this a policy; here a policy is a control law.
struct Cluster {
  int cpufreq_id{};      ///< N of /sys/devices/system/cpu/cpufreq/policyN
  std::uint64_t cpus{};  ///< bit n set: CPU n belongs to it (related_cpus, offline ones included)
  StaticVector<Opp, kMaxOpps> opps;  ///< ascending frequency; never empty in a valid topology
  /// From the request of another frequency until it runs; zero where the driver does not say.
  Duration transition_latency{};

  [[nodiscard]] constexpr Frequency min_frequency() const { return opps.front().frequency; }
  [[nodiscard]] constexpr Frequency max_frequency() const { return opps.back().frequency; }
  [[nodiscard]] constexpr Speed max_speed() const { return opps.back().speed; }

  /// Index of the lowest OPP at or above `speed`; the top one when none is.
  [[nodiscard]] constexpr std::size_t opp_at_least(Speed speed) const {
    // No comparison waits for another, and no branch can be mispredicted.
    std::size_t below = 0;
    for (std::size_t i = 0; i + 1 < opps.size(); ++i) {
      below += static_cast<std::size_t>(opps[i].speed < speed);
    }
    return below;
  }
  /// Index of the lowest OPP at or above `frequency`; the top one when none is.
  [[nodiscard]] constexpr std::size_t opp_at_least(Frequency frequency) const {
    std::size_t i = 0;
    while (i + 1 < opps.size() && opps[i].frequency < frequency) {
      ++i;
    }
    return i;
  }
  /// Index of the highest OPP at or below `frequency`; the lowest one when none is. What the kernel
  /// makes of a scaling_max_freq that is no OPP.
  [[nodiscard]] constexpr std::size_t opp_at_most(Frequency frequency) const {
    std::size_t i = opps.size() - 1;
    while (i > 0 && opps[i].frequency > frequency) {
      --i;
    }
    return i;
  }
  /// Index of the OPP with the least energy per work: going slower saves nothing.
  [[nodiscard]] constexpr std::size_t most_efficient_opp() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < opps.size(); ++i) {
      if (opps[i].energy_per_work() < opps[best].energy_per_work()) {
        best = i;
      }
    }
    return best;
  }
};

/// The CPUs of the device, clusters ascending by cpufreq_id. Set once at start.
struct CpuTopology {
  StaticVector<Cluster, kMaxClusters> clusters;
  /// Power was measured, static power with it: clusters can be compared by it.
  bool power_measured = false;

  /// Index of the cluster that CPU `cpu` belongs to.
  [[nodiscard]] constexpr std::optional<std::size_t> cluster_of(int cpu) const {
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      if (cpu >= 0 && cpu < static_cast<int>(kMaxCpus) &&
          ((clusters[i].cpus >> static_cast<unsigned>(cpu)) & 1U) != 0) {
        return i;
      }
    }
    return std::nullopt;
  }
  /// Index of the cluster with the fastest top OPP; 0 when there are none.
  [[nodiscard]] constexpr std::size_t fastest_cluster() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < clusters.size(); ++i) {
      if (clusters[i].max_speed() > clusters[best].max_speed()) {
        best = i;
      }
    }
    return best;
  }
};

}  // namespace framegov

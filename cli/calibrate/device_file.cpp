// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/device_file.h"

#include <algorithm>
#include <bit>
#include <iomanip>
#include <sstream>

namespace framegov::calibrate {

namespace {

constexpr double kFullCapacity = 1024;
constexpr double kIdleShare = 0.057;  ///< WFI over active: median of the clusters Wattson measured
constexpr double kMostStatic = 0.9;   ///< of a busy CPU: a device's active power is above zero
constexpr int kAssumedLatencyUs = 300;

/// The OPPs from the first to the last that was measured.
struct MeasuredRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

MeasuredRange measured(const std::vector<OppEstimate>& opps) {
  MeasuredRange range;
  for (std::size_t i = 0; i < opps.size(); ++i) {
    if (opps[i].measured) {
      range.first = range.end == 0 ? i : range.first;
      range.end = i + 1;
    }
  }
  return range;
}

void write_cpus(std::ostream& out, std::uint64_t cpus) {
  const char* between = "";
  for (std::uint64_t left = cpus; left != 0; left &= left - 1) {
    out << between << std::countr_zero(left);
    between = ", ";
  }
}

void write_opps(std::ostream& out, const Cluster& cluster, const std::vector<OppEstimate>& opps,
                double reference) {
  const auto [first, end] = measured(opps);
  out << "    # kHz, capacity (of 1024), active mW, static mW, idle mW\n    opps:\n";
  for (std::size_t i = first; i < end; ++i) {
    const double fixed = std::min(opps[i].static_mw, kMostStatic * opps[i].busy_mw);
    const double active = std::max(opps[i].busy_mw - fixed, 1e-2);
    out << "      - [" << cluster.opps[i].frequency.count() << std::setprecision(1) << ", "
        << kFullCapacity * cluster.opps[i].speed.count() / reference << std::setprecision(2) << ", "
        << active << ", " << fixed << ", " << kIdleShare * active << ']'
        << (opps[i].measured ? "\n" : "  # not measured: from its neighbours\n");
  }
  out << "    busy_interval_mw:  # 95 %, of active and static together\n";
  for (std::size_t i = first; i < end; ++i) {
    out << "      - [" << std::max(opps[i].low_mw, 0.0) << ", " << opps[i].high_mw << "]\n";
  }
  if (end - first < opps.size()) {
    out << "    # left out: " << opps.size() - (end - first)
        << " OPPs that the phone did not hold, or whose power is not above that at rest\n";
  }
}

}  // namespace

std::vector<ClusterShape> shapes_of(const CpuTopology& topology) {
  std::vector<ClusterShape> shapes;
  for (const Cluster& cluster : topology.clusters) {
    ClusterShape shape{static_cast<std::size_t>(std::popcount(cluster.cpus)), {}};
    for (const Opp& opp : cluster.opps) {
      shape.mhz.push_back(static_cast<double>(opp.frequency.count()) / 1e3);
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Result<std::string> to_device_yaml(const CpuTopology& topology, const Estimate& estimate,
                                   const DeviceFacts& facts) {
  const Cluster& fastest = topology.clusters[topology.fastest_cluster()];
  const double reference = fastest.max_speed().count();
  const double top_khz = static_cast<double>(fastest.max_frequency().count());
  std::ostringstream out;
  out << std::fixed << "# Made by 'framegov calibrate'. docs/devices.md explains every key.\n";
  if (estimate.celsius) {
    out << "# The battery had " << std::setprecision(1) << *estimate.celsius
        << " degrees, on the mean.\n";
  }
  out << "name: " << std::quoted(facts.name) << "\nmodel: " << std::quoted(facts.model)
      << "\nclusters:\n";
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    const Cluster& cluster = topology.clusters[c];
    const std::vector<OppEstimate>& opps = estimate.clusters[c];
    if (measured(opps).end == 0) {
      return fail(ExitCode::kUnsupported,
                  "policy" + std::to_string(cluster.cpufreq_id) +
                      " did not hold any frequency that was asked for",
                  "another program sets it; framegov doctor may name it");
    }
    const double per_mhz = facts.coremark_per_mhz * (cluster.max_speed().count() / reference) *
                           top_khz / static_cast<double>(cluster.max_frequency().count());
    out << "  - policy: " << cluster.cpufreq_id << "\n    cpus: [";
    write_cpus(out, cluster.cpus);
    out << "]\n    core: unknown  # not in sysfs\n    coremark_per_mhz: " << std::setprecision(2)
        << per_mhz << (facts.coremark_known ? "\n" : "  # assumed for the fastest core\n")
        << "    transition_latency_us: ";
    const auto latency = cluster.transition_latency.count() / 1000;
    if (latency > 0 && latency < 3000) {
      out << latency << '\n';
    } else {
      out << kAssumedLatencyUs << "  # assumed: the driver says " << latency << '\n';
    }
    out << "    idle_state: {entry_us: 150, exit_us: 200, min_residency_us: 2500}  # assumed\n"
           "    source:\n"
           "      active: \"framegov calibrate: this phone's battery\"\n"
           "      static: \"framegov calibrate: one busy CPU beside all\"\n"
           "      idle: \"assumed: "
        << std::setprecision(3) << kIdleShare << " of active\"\n";
    write_opps(out, cluster, opps, reference);
  }
  return out.str();
}

}  // namespace framegov::calibrate

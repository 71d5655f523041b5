// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/recorded_phone.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace framegov::sim {

namespace {

double interpolate(double at, double x0, double y0, double x1, double y1) {
  return x1 > x0 ? y0 + (y1 - y0) * std::clamp((at - x0) / (x1 - x0), 0.0, 1.0) : y0;
}

/// Power of `cluster` at a frequency that need not be one of its OPPs.
DeviceOpp power_at(const DeviceCluster& cluster, Frequency frequency) {
  const auto above = std::find_if(cluster.opps.begin(), cluster.opps.end(),
                                  [&](const DeviceOpp& opp) { return opp.frequency >= frequency; });
  const DeviceOpp& high = above == cluster.opps.end() ? cluster.opps.back() : *above;
  const DeviceOpp& low = above == cluster.opps.begin() ? high : *(above - 1);
  const auto between = [&](Power a, Power b) {
    return Power{interpolate(static_cast<double>(frequency.count()),
                             static_cast<double>(low.frequency.count()), a.count(),
                             static_cast<double>(high.frequency.count()), b.count())};
  };
  DeviceOpp opp;
  opp.frequency = frequency;
  opp.active = between(low.active, high.active);
  opp.static_power = between(low.static_power, high.static_power);
  opp.idle = between(low.idle, high.idle);
  return opp;
}

std::vector<std::size_t> by_capacity(const DeviceModel& device) {
  std::vector<std::size_t> order(device.clusters.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return device.clusters[a].opps.back().capacity < device.clusters[b].opps.back().capacity;
  });
  return order;
}

}  // namespace

Result<DeviceModel> recorded_phone(const Workload& workload, const DeviceModel& power) {
  if (workload.clusters.empty()) {
    return fail(ExitCode::kBadInput, workload.source + ": the recording's clusters are not known",
                "record power/cpu_frequency");
  }
  DeviceModel device;
  device.name = "recorded";
  device.model = workload.device;
  double fastest = 0;
  for (const WorkloadCluster& cluster : workload.clusters) {
    fastest = std::max(
        fastest, static_cast<double>(cluster.max_frequency.count()) * cluster.relative_per_mhz);
  }
  if (workload.clusters.size() > kMaxClusters) {
    return fail(ExitCode::kBadInput, workload.source + ": the recording has more than " +
                                         std::to_string(kMaxClusters) + " clusters");
  }
  for (std::size_t c = 0; c < workload.clusters.size(); ++c) {
    const WorkloadCluster& from = workload.clusters[c];
    std::set<Frequency> seen{from.max_frequency};
    for (const FrequencyChange& change : workload.frequencies) {
      if (change.cluster == static_cast<std::int8_t>(c)) {
        seen.insert(change.frequency);
      }
    }
    if (seen.size() > kMaxOpps) {
      return fail(ExitCode::kBadInput, workload.source + ": policy" +
                                           std::to_string(from.cpufreq_id) + " has more than " +
                                           std::to_string(kMaxOpps) + " frequencies");
    }
    DeviceCluster cluster;
    cluster.cpufreq_id = from.cpufreq_id;
    cluster.cpus = from.cpus != 0 ? from.cpus : std::uint64_t{1} << c;
    cluster.coremark_per_mhz = workload.reference.coremark_per_mhz * from.relative_per_mhz;
    for (const Frequency frequency : seen) {
      DeviceOpp opp;
      opp.frequency = frequency;
      opp.capacity =
          kFullCapacity * static_cast<double>(frequency.count()) * from.relative_per_mhz / fastest;
      cluster.opps.push_back(opp);
    }
    device.clusters.push_back(cluster);
  }
  const std::vector<std::size_t> ours = by_capacity(device);
  const std::vector<std::size_t> theirs = by_capacity(power);
  for (std::size_t rank = 0; rank < ours.size(); ++rank) {
    // From the top, so that a recording of big cores alone gets big cores' power.
    const std::size_t from_top = ours.size() - 1 - rank;
    const std::size_t match = theirs[theirs.size() - 1 - std::min(from_top, theirs.size() - 1)];
    DeviceCluster& cluster = device.clusters[ours[rank]];
    cluster.idle_state = power.clusters[match].idle_state;
    for (DeviceOpp& opp : cluster.opps) {
      const DeviceOpp found = power_at(power.clusters[match], opp.frequency);
      opp.active = found.active;
      opp.static_power = found.static_power;
      opp.idle = found.idle;
    }
  }
  return device;
}

RecordedFrequencies::RecordedFrequencies(const Workload& workload, const CpuTopology& topology,
                                         double origin)
    : plan_(FrequencyPlan::uncapped(topology.clusters.size(), ReasonCode::kFixed)) {
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    // Before its first change a cluster has the frequency that the importers count its work at.
    const auto first = std::find_if(
        workload.frequencies.begin(), workload.frequencies.end(),
        [c](const FrequencyChange& each) { return each.cluster == static_cast<std::int8_t>(c); });
    const Frequency frequency = first != workload.frequencies.end()
                                    ? first->frequency
                                    : topology.clusters[c].max_frequency();
    plan_.clusters[c] = {frequency, frequency};
  }
  const Duration shift{static_cast<Duration::rep>(origin)};
  for (const FrequencyChange& change : workload.frequencies) {
    changes_.push_back(
        {change.at - shift, static_cast<std::size_t>(change.cluster), change.frequency});
  }
}

const FrequencyPlan& RecordedFrequencies::step(const PolicyInput& input) {
  while (next_ < changes_.size() && changes_[next_].at <= input.now) {
    const Change& change = changes_[next_++];
    if (change.cluster < plan_.clusters.size()) {
      plan_.clusters[change.cluster] = {change.frequency, change.frequency};
    }
  }
  return plan_;
}

Instant RecordedFrequencies::wake_at() const {
  return next_ < changes_.size() ? changes_[next_].at : Instant{};
}

}  // namespace framegov::sim

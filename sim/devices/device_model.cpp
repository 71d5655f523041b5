// SPDX-License-Identifier: Apache-2.0
#include "sim/devices/device_model.h"

#include <algorithm>
#include <array>

#include "socs/phone_soc.h"

namespace framegov::sim {

namespace {

// As the service assumes them (governor/cpufreq/power_model.cpp).
constexpr double kTopCoefficient = 450;
constexpr double kLowestVolt = 0.6;
constexpr double kHighestVolt = 1.0;

double mhz_of(const DeviceOpp& opp) { return static_cast<double>(opp.frequency.count()) / 1e3; }

double top_capacity(const DeviceCluster& cluster) { return cluster.opps.back().capacity; }

/// uW / MHz / V^2.
double coefficient_of(const DeviceModel& device, const DeviceCluster& cluster) {
  if (cluster.dynamic_power_coefficient > 0) {
    return cluster.dynamic_power_coefficient;
  }
  double most = 0;
  for (const DeviceCluster& each : device.clusters) {
    most = std::max(most, top_capacity(each) / mhz_of(each.opps.back()));
  }
  const double relative = top_capacity(cluster) / mhz_of(cluster.opps.back()) / most;
  return kTopCoefficient * relative * relative;
}

/// mW of one busy core, by OPP.
std::vector<double> known_power(const DeviceModel& device, const DeviceCluster& cluster,
                                EnergyModel energy) {
  std::vector<double> mw;
  const DeviceOpp& low = cluster.opps.front();
  const DeviceOpp& top = cluster.opps.back();
  const double coefficient = coefficient_of(device, cluster);
  const double top_mw = coefficient * mhz_of(top) * kHighestVolt * kHighestVolt / 1e3;
  for (const DeviceOpp& opp : cluster.opps) {
    if (energy == EnergyModel::kExact) {
      mw.push_back(opp.busy().count());
    } else if (energy != EnergyModel::kCoefficients) {
      mw.push_back(top_mw * opp.active.count() / top.active.count());
    } else {
      const double share = (mhz_of(opp) - mhz_of(low)) / std::max(mhz_of(top) - mhz_of(low), 1.0);
      const double volt = kLowestVolt + (kHighestVolt - kLowestVolt) * share;
      mw.push_back(coefficient * mhz_of(opp) * volt * volt / 1e3);
    }
  }
  return mw;
}

/// As the service does: a table of the phone's SoC in place of what the kernel says of power.
void set_table_power(const DeviceModel& device, CpuTopology& topology) {
  std::vector<SocName> names{{device.name, "its name"}};
  for (const std::string& alias : device.aliases) {
    names.push_back({alias, "its name"});
  }
  const PhoneSoc phone = find_phone_soc(names, topology);
  if (phone.soc == nullptr || !set_measured_power(topology, *phone.soc)) {
    return;
  }
  for (std::size_t c = 0; c < topology.clusters.size(); ++c) {
    for (Opp& opp : topology.clusters[c].opps) {
      opp.active = opp.active * device.clusters[c].table_factor;
    }
  }
}

}  // namespace

std::size_t DeviceModel::fastest_cluster() const {
  const auto by_top = [](const DeviceCluster& a, const DeviceCluster& b) {
    return top_capacity(a) < top_capacity(b);
  };
  return static_cast<std::size_t>(std::max_element(clusters.begin(), clusters.end(), by_top) -
                                  clusters.begin());
}

std::size_t DeviceModel::slowest_cluster() const {
  const auto by_top = [](const DeviceCluster& a, const DeviceCluster& b) {
    return top_capacity(a) < top_capacity(b);
  };
  return static_cast<std::size_t>(std::min_element(clusters.begin(), clusters.end(), by_top) -
                                  clusters.begin());
}

Speed DeviceModel::reference_speed() const {
  return Speed{static_cast<double>(clusters[fastest_cluster()].opps.back().frequency.count()) *
               1e3};
}

Speed DeviceModel::speed(std::size_t cluster, std::size_t opp) const {
  return reference_speed() * (clusters[cluster].opps[opp].capacity / kFullCapacity);
}

std::string_view energy_model_name(EnergyModel energy) {
  constexpr std::array<std::string_view, 4> kNames{"exact", "table", "energy-model",
                                                   "coefficients"};
  return kNames[static_cast<std::size_t>(energy)];
}

std::string_view placement_name(PlacementKind placement) {
  constexpr std::array<std::string_view, 6> kNames{"pinned",   "eas-5.4", "eas-6.1",
                                                   "eas-6.12", "walt",    "device"};
  return kNames[static_cast<std::size_t>(placement)];
}

CpuTopology kernel_topology(const DeviceModel& device, EnergyModel energy) {
  CpuTopology topology;
  for (std::size_t c = 0; c < device.clusters.size(); ++c) {
    const DeviceCluster& from = device.clusters[c];
    Cluster cluster;
    cluster.cpufreq_id = from.cpufreq_id;
    cluster.cpus = from.cpus;
    cluster.transition_latency = from.transition_latency;
    const std::vector<double> mw = known_power(device, from, energy);
    for (std::size_t i = 0; i < from.opps.size(); ++i) {
      cluster.opps.push_back({from.opps[i].frequency, device.speed(c, i), Power{mw[i]}});
    }
    topology.clusters.push_back(cluster);
  }
  if (energy == EnergyModel::kTable) {
    set_table_power(device, topology);
  }
  return topology;
}

}  // namespace framegov::sim

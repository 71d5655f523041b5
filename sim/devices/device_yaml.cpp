// SPDX-License-Identifier: Apache-2.0
// Reads a device model from YAML. yaml-cpp throws; nothing of that leaves this file.
#include <algorithm>
#include <stdexcept>

#include "base/text.h"
#include "base/yaml/load_yaml.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

namespace {

constexpr std::size_t kLongestName = 100;
/// Of a rail: it has about one for each of a cluster's OPPs.
constexpr std::size_t kMostLevels = kMaxOpps;

struct BadDevice : std::runtime_error {
  BadDevice(const YAML::Mark& mark, const std::string& what)
      : std::runtime_error(std::to_string(mark.line + 1) + ": " + what) {}
};

YAML::Node need(const YAML::Node& map, const std::string& key) {
  if (!map.IsMap()) {
    throw BadDevice(map.Mark(), "expected a map with '" + key + "'");
  }
  const YAML::Node found = map[key];
  if (!found) {
    throw BadDevice(map.Mark(), "'" + key + "' is missing");
  }
  return found;
}

double number(const YAML::Node& node, const std::string& what, double low, double high) {
  double value = 0;
  try {
    value = node.as<double>();
  } catch (const YAML::Exception&) {
    throw BadDevice(node.Mark(), what + " is not a number");
  }
  if (!(value >= low && value <= high)) {
    throw BadDevice(node.Mark(), what + " is out of range");
  }
  return value;
}

Duration microseconds(const YAML::Node& map, const std::string& key) {
  return Duration{static_cast<Duration::rep>(number(need(map, key), key, 0, 1e6) * 1e3 + 0.5)};
}

YAML::Node sequence(const YAML::Node& map, const std::string& key) {
  const YAML::Node node = need(map, key);
  if (!node.IsSequence() || node.size() == 0) {
    throw BadDevice(node.Mark(), "'" + key + "' is not a list with entries");
  }
  return node;
}

DeviceOpp parse_opp(const YAML::Node& node) {
  if (!node.IsSequence() || node.size() != 5) {
    throw BadDevice(node.Mark(),
                    "an OPP is [kHz, capacity, active mW, static mW, idle mW]: five numbers");
  }
  DeviceOpp opp;
  opp.frequency = khz(static_cast<std::int64_t>(number(node[0], "frequency", 1e3, 1e8)));
  opp.capacity = number(node[1], "capacity", 0.1, 1024.5);
  opp.active = Power{number(node[2], "active power", 1e-3, 1e5)};
  opp.static_power = Power{number(node[3], "static power", 0, 1e5)};
  opp.idle = Power{number(node[4], "idle power", 0, 1e5)};
  return opp;
}

DeviceCluster parse_cluster(const YAML::Node& node) {
  DeviceCluster cluster;
  cluster.cpufreq_id = static_cast<int>(number(need(node, "policy"), "policy", 0, kMaxCpus - 1));
  for (const YAML::Node& cpu : sequence(node, "cpus")) {
    cluster.cpus |= std::uint64_t{1} << static_cast<unsigned>(number(cpu, "cpu", 0, kMaxCpus - 1));
  }
  cluster.core = need(node, "core").as<std::string>();
  cluster.coremark_per_mhz = number(need(node, "coremark_per_mhz"), "coremark_per_mhz", 0.01, 1000);
  if (const YAML::Node coefficient = node["dynamic_power_coefficient"]) {
    cluster.dynamic_power_coefficient = number(coefficient, "dynamic_power_coefficient", 1, 1e5);
  }
  if (const YAML::Node factor = node["table_factor"]) {
    cluster.table_factor = number(factor, "table_factor", 0.1, 10);
  }
  cluster.transition_latency = microseconds(node, "transition_latency_us");
  const YAML::Node idle = need(node, "idle_state");
  cluster.idle_state = {microseconds(idle, "entry_us"), microseconds(idle, "exit_us"),
                        microseconds(idle, "min_residency_us")};
  const YAML::Node opps = sequence(node, "opps");
  if (opps.size() > kMaxOpps) {
    throw BadDevice(opps.Mark(), "more than " + std::to_string(kMaxOpps) + " OPPs");
  }
  for (const YAML::Node& opp : opps) {
    cluster.opps.push_back(parse_opp(opp));
    const std::size_t n = cluster.opps.size();
    if (n > 1 && (cluster.opps[n - 1].frequency <= cluster.opps[n - 2].frequency ||
                  cluster.opps[n - 1].capacity <= cluster.opps[n - 2].capacity)) {
      throw BadDevice(opp.Mark(), "frequency and capacity must rise from OPP to OPP");
    }
  }
  return cluster;
}

std::size_t cluster_index(const DeviceModel& device, const YAML::Node& node) {
  const int policy = static_cast<int>(number(node, "policy", 0, kMaxCpus - 1));
  for (std::size_t i = 0; i < device.clusters.size(); ++i) {
    if (device.clusters[i].cpufreq_id == policy) {
      return i;
    }
  }
  throw BadDevice(node.Mark(), "no cluster has policy " + std::to_string(policy));
}

std::vector<double> row(const YAML::Node& node, std::size_t size) {
  if (!node.IsSequence() || node.size() != size) {
    throw BadDevice(node.Mark(), "expected " + std::to_string(size) + " numbers");
  }
  std::vector<double> values;
  for (const YAML::Node& value : node) {
    values.push_back(number(value, "power", 0, 1e5));
  }
  return values;
}

SharedRail parse_rail(const DeviceModel& device, const YAML::Node& node) {
  SharedRail rail;
  rail.cluster = cluster_index(device, need(node, "policy"));
  const YAML::Node shared = sequence(node, "shared_mw");
  const std::size_t levels = shared.size();
  if (levels > kMostLevels) {
    throw BadDevice(shared.Mark(), "more than " + std::to_string(kMostLevels) + " levels");
  }
  rail.shared_mw = row(shared, levels);
  const std::size_t opps = device.clusters[rail.cluster].opps.size();
  for (const auto& [key, table] :
       {std::pair{"active_mw", &rail.active_mw}, {"static_mw", &rail.static_mw}}) {
    const YAML::Node rows = sequence(node, key);
    if (rows.size() != opps) {
      throw BadDevice(rows.Mark(), std::string(key) + " needs a row for each OPP");
    }
    for (const YAML::Node& each : rows) {
      table->push_back(row(each, levels));
    }
  }
  rail.level.resize(device.clusters.size());
  for (const YAML::Node& each : sequence(node, "raised_by")) {
    const std::size_t cluster = cluster_index(device, need(each, "policy"));
    const YAML::Node level = sequence(each, "level");
    if (level.size() != device.clusters[cluster].opps.size() || !rail.level[cluster].empty()) {
      throw BadDevice(level.Mark(), "one level for each OPP of the policy is needed");
    }
    for (const YAML::Node& value : level) {
      rail.level[cluster].push_back(
          static_cast<std::uint8_t>(number(value, "level", 0, static_cast<double>(levels - 1))));
    }
  }
  return rail;
}

std::string device_name_at(const YAML::Node& node) {
  const auto name = node.as<std::string>();
  if (!is_device_name(name)) {
    throw BadDevice(node.Mark(),
                    "'" + name.substr(0, kLongestName) + "' is not a valid device name");
  }
  return name;
}

PlacementKind placement_at(const YAML::Node& node) {
  const auto name = node.as<std::string>();
  for (const PlacementKind kind : {PlacementKind::kEas54, PlacementKind::kEas61,
                                   PlacementKind::kEas612, PlacementKind::kWalt}) {
    if (name == placement_name(kind)) {
      return kind;
    }
  }
  throw BadDevice(node.Mark(), "placement is none of eas-5.4, eas-6.1, eas-6.12, walt");
}

DeviceModel parse(const YAML::Node& root) {
  DeviceModel device;
  device.name = device_name_at(need(root, "name"));
  device.model = need(root, "model").as<std::string>();
  if (const YAML::Node aliases = root["aliases"]) {
    for (const YAML::Node& alias : aliases) {
      device.aliases.push_back(device_name_at(alias));
    }
  }
  if (const YAML::Node placement = root["placement"]) {
    device.placement = placement_at(placement);
  }
  if (const YAML::Node uclamp = root["uclamp"]) {
    device.uclamp = uclamp.as<bool>();
  }
  const YAML::Node clusters = sequence(root, "clusters");
  if (clusters.size() > kMaxClusters) {
    throw BadDevice(clusters.Mark(), "more than " + std::to_string(kMaxClusters) + " clusters");
  }
  for (const YAML::Node& node : clusters) {
    device.clusters.push_back(parse_cluster(node));
  }
  std::sort(
      device.clusters.begin(), device.clusters.end(),
      [](const DeviceCluster& a, const DeviceCluster& b) { return a.cpufreq_id < b.cpufreq_id; });
  std::uint64_t seen = 0;
  int id_before = -1;
  for (const DeviceCluster& cluster : device.clusters) {
    if ((seen & cluster.cpus) != 0 || cluster.cpufreq_id == id_before) {
      throw BadDevice(clusters.Mark(), "a CPU or a policy is in two clusters");
    }
    id_before = cluster.cpufreq_id;
    seen |= cluster.cpus;
  }
  if (const YAML::Node rail = root["rail"]) {
    device.rail = parse_rail(device, rail);
  }
  return device;
}

}  // namespace

bool is_device_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "all" &&
         name.find(',') == std::string_view::npos &&
         std::none_of(name.begin(), name.end(), is_control);
}

Result<DeviceModel> parse_device(const std::string& yaml, const std::string& name) {
  const std::string hint = "docs/devices.md describes the format";
  try {
    return parse(load_yaml(yaml).value_or(YAML::Node()));
  } catch (const BadDevice& error) {
    return fail(ExitCode::kBadInput, name + ":" + error.what(), hint);
  } catch (const YAML::Exception& error) {
    return fail(ExitCode::kBadInput,
                name + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg, hint);
  }
}

}  // namespace framegov::sim

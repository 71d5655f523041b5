// SPDX-License-Identifier: Apache-2.0
// yaml-cpp throws; nothing of that leaves this file.
#include "governor/cpufreq/calibrated_power.h"

#include <stdexcept>
#include <vector>

#include "base/yaml/load_yaml.h"
#include "governor/state/state_dir.h"
#include "socs/phone_soc.h"

namespace framegov {

namespace {

constexpr double kMostKhz = 1e8;
constexpr double kMostMw = 1e5;
constexpr double kLeastMw = 1e-3;  // no core is free

/// The columns of a device file's OPP that are read here.
constexpr std::size_t kKhzColumn = 0;
constexpr std::size_t kActiveColumn = 2;
constexpr std::size_t kStaticColumn = 3;

struct CalibratedCluster {
  SocCluster cluster;
  std::vector<std::uint32_t> khz;
  std::vector<float> mw;
};

double number_at(const YAML::Node& opp, std::size_t column, double most) {
  const auto value = opp[column].as<double>();
  if (!(value >= 0 && value <= most)) {
    throw std::runtime_error("a number is out of range");
  }
  return value;
}

CalibratedCluster cluster_at(const YAML::Node& node) {
  CalibratedCluster result;
  const auto cpus = node["cpus"].as<std::vector<int>>();
  const YAML::Node opps = node["opps"];
  if (cpus.empty() || cpus.front() < 0 || !opps.IsSequence() || opps.size() == 0 ||
      opps.size() > kMaxOpps || static_cast<std::size_t>(cpus.front()) + cpus.size() >= kMaxCpus) {
    throw std::runtime_error("a cluster without CPUs or OPPs");
  }
  result.cluster.first_cpu = cpus.front();
  result.cluster.cpu_count = static_cast<int>(cpus.size());
  for (const YAML::Node& opp : opps) {
    const auto khz = static_cast<std::uint32_t>(number_at(opp, kKhzColumn, kMostKhz));
    if (khz <= (result.khz.empty() ? 0 : result.khz.back())) {
      throw std::runtime_error("frequencies do not rise");
    }
    result.khz.push_back(khz);
    const double mw =
        number_at(opp, kActiveColumn, kMostMw) + number_at(opp, kStaticColumn, kMostMw);
    if (!(mw >= kLeastMw)) {
      throw std::runtime_error("a frequency takes no power");
    }
    result.mw.push_back(static_cast<float>(mw));
  }
  return result;
}

std::vector<CalibratedCluster> clusters_of(const std::string& yaml) {
  std::vector<CalibratedCluster> result;
  for (const YAML::Node& node : load_yaml(yaml).value_or(YAML::Node())["clusters"]) {
    if (result.size() == kMaxClusters) {
      throw std::runtime_error("too many clusters");
    }
    result.push_back(cluster_at(node));
  }
  if (result.empty()) {
    throw std::runtime_error("no clusters");
  }
  return result;
}

}  // namespace

Result<std::string> read_calibration(const std::filesystem::path& state_dir) {
  std::error_code ignored;
  if (!std::filesystem::exists(state_dir / kCalibratedFile, ignored)) {
    return std::string();  // and no folder is made
  }
  FRAMEGOV_TRY(const auto dir, StateDir::open(state_dir));
  FRAMEGOV_TRY(const auto text, dir.read_file(kCalibratedFile));
  return text.value_or("");
}

Status set_calibrated_power(CpuTopology& topology, const std::string& yaml) {
  try {
    const std::vector<CalibratedCluster> clusters = clusters_of(yaml);
    std::vector<SocCluster> views;
    for (const CalibratedCluster& each : clusters) {
      views.push_back(each.cluster);
      views.back().opps = each.khz;
      views.back().mw = each.mw;
    }
    KnownSoc soc;
    soc.name = "this phone";
    soc.power_source = "framegov calibrate";
    soc.clusters = views;
    return set_measured_power(topology, soc);
  } catch (const std::exception& error) {  // yaml-cpp's are such too
    return fail(ExitCode::kBadInput, std::string(kCalibratedFile) + ": " + error.what(),
                "framegov calibrate makes it anew");
  }
}

}  // namespace framegov

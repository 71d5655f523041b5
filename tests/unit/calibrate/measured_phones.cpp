// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/calibrate/measured_phones.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/devices/device_catalog.h"

namespace framegov::calibrate {

namespace {

using Curve = std::map<double, double>;  // mW by MHz

constexpr double kLeastMw = 13;  // a third of the simulated gauge's step
constexpr const char* kDisturbed = "msm8998 fts-irq-storm";

/// Rows of cells; a quoted cell may hold commas and line breaks, which become blanks.
std::vector<std::vector<std::string>> rows_of(std::istream& in) {
  std::vector<std::vector<std::string>> rows{{""}};
  bool quoted = false;
  for (char letter = 0; in.get(letter);) {
    if (letter == '"') {
      quoted = !quoted;
    } else if (quoted || (letter != ',' && letter != '\n')) {
      rows.back().back() += quoted && letter == '\n' ? ' ' : letter;
    } else if (letter == ',') {
      rows.back().emplace_back();
    } else {
      rows.push_back({""});
    }
  }
  return rows;
}

/// freqbench names one CPU of each cluster, never CPU 0; the others are not told.
TruePhone phone_of(const std::map<int, Curve>& curves) {
  TruePhone phone;
  for (auto at = curves.begin(); at != curves.end(); ++at) {
    const int first = at == curves.begin() ? 0 : at->first;
    const auto next = std::next(at);
    const int all = curves.size() == 1 ? 4 : 8;
    const int end = next != curves.end() ? next->first : std::max(all, first + 1);
    ClusterShape shape{static_cast<std::size_t>(end - first), {}};
    std::vector<TrueOpp> opps;
    double least = at->second.begin()->second;
    for (const auto& [mhz, mw] : at->second) {
      least = std::min(least, mw);
    }
    const double fixed = shape.cpus > 1 ? 0.3 * least : 0;
    for (const auto& [mhz, mw] : at->second) {
      shape.mhz.push_back(mhz);
      opps.push_back({mw - fixed, fixed});
    }
    phone.shapes.push_back(std::move(shape));
    phone.opps.push_back(std::move(opps));
  }
  return phone;
}

}  // namespace

std::vector<NamedPhone> freqbench_phones(const std::string& freqbench) {
  std::ifstream in(freqbench);
  std::map<std::string, std::map<int, Curve>> runs;
  for (const auto& row : rows_of(in)) {
    // soc,run,device,cpu,freq_khz,coremark_iter_s,power_mw,energy_j,time_s
    constexpr std::size_t kColumns = 9;
    if (row.size() == kColumns && row[0] != "soc") {
      const double mw = row[6].empty() ? 0 : std::stod(row[6]);  // empty: not measured
      runs[row[0] + " " + row[1]][std::stoi(row[3])][std::stod(row[4]) / 1e3] = mw;
    }
  }
  std::vector<NamedPhone> phones;
  for (const auto& [name, curves] : runs) {
    const bool possible =
        name != kDisturbed && std::all_of(curves.begin(), curves.end(), [](const auto& cluster) {
          return std::all_of(cluster.second.begin(), cluster.second.end(),
                             [](const auto& opp) { return opp.second > kLeastMw; });
        });
    if (possible) {
      phones.push_back({name, phone_of(curves)});
    }
  }
  return phones;
}

TruePhone simulated_phone(const std::string& name) {
  const auto catalog = sim::DeviceCatalog::load();
  TruePhone phone;
  for (const sim::DeviceCluster& cluster : (*catalog->find(name))->clusters) {
    ClusterShape shape{cluster.cpu_count(), {}};
    std::vector<TrueOpp> opps;
    for (const sim::DeviceOpp& opp : cluster.opps) {
      shape.mhz.push_back(static_cast<double>(opp.frequency.count()) / 1e3);
      opps.push_back({opp.active.count(), opp.static_power.count()});
    }
    phone.shapes.push_back(std::move(shape));
    phone.opps.push_back(std::move(opps));
  }
  return phone;
}

}  // namespace framegov::calibrate

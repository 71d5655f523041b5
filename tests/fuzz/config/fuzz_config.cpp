// SPDX-License-Identifier: Apache-2.0
// Any bytes as a configuration and as a games.toml. Each is taken or refused with "file:line: what"
// lines; what is taken holds what its documentation promises.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/effective_profile.h"
#include "config/fas_rs_import.h"
#include "config/load.h"

namespace {

using namespace framegov;

void need(bool truth) {
  if (!truth) {
    std::abort();
  }
}

CpuTopology three_clusters() {
  CpuTopology topology;
  for (int i = 0; i < 3; ++i) {
    Cluster cluster;
    cluster.cpufreq_id = 3 * i;
    for (int opp = 1; opp <= 4; ++opp) {
      cluster.opps.push_back({mhz(500 * opp), Speed{1e8 * opp * (i + 1)}, Power{100.0 * opp}});
    }
    topology.clusters.push_back(cluster);
  }
  return topology;
}

/// The whole message in lines that name the file, without a control character.
void check_message(const std::string& message) {
  need(!message.empty());
  std::size_t at = 0;
  while (at < message.size()) {
    const std::size_t end = std::min(message.find('\n', at), message.size());
    const std::string line = message.substr(at, end - at);
    need(line.starts_with("input:") || line.starts_with("input "));
    for (const char c : line) {
      need(static_cast<unsigned char>(c) >= ' ');
    }
    at = end + 1;
  }
}

void check_profile(const Settings& settings, const std::string& mode, const std::string& package) {
  static const CpuTopology kTopology = three_clusters();
  const EffectiveProfile profile = effective_profile(settings, mode, package);
  need(profile.eps.value >= 0.0001 && profile.eps.value <= 0.2);
  need(profile.margin.value >= 0 && profile.margin.value <= 0.5);
  need(profile.policy.value == "pid" || profile.policy.value == "mpc");
  need(to_string(profile.source.value).size() > 3);
  need(!profile.eps.origin.empty() && !profile.enabled.origin.empty());
  const PolicyBounds bounds = policy_bounds(profile, kTopology);
  need(bounds.target_fps.size() == profile.target_fps.value.size());
  for (const ClusterBound& bound : bounds.clusters) {
    need(bound.ceiling.count() >= 0 && bound.floor.count() >= 0);
    need(bound.ceiling.count() == 0 || bound.floor <= bound.ceiling);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto settings = parse_settings(text, "input")) {
    for (const auto& [mode, profile] : settings->profiles.modes) {
      check_profile(*settings, mode, "com.example.app");
    }
    int apps = 0;
    for (const auto& [pattern, profile] : settings->profiles.apps) {
      if (++apps > 50) {
        break;
      }
      check_profile(*settings, settings->profiles.mode.value, pattern);
    }
  } else {
    check_message(settings.error().message);
  }
  if (const auto profiles = profiles_from_fas_rs(text, "input")) {
    need(parse_settings(*profiles, "result").has_value());
  } else {
    check_message(profiles.error().message);
  }
  return 0;
}

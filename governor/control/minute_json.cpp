// SPDX-License-Identifier: Apache-2.0
#include "governor/control/minute_json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace framegov {

namespace {

using Json = nlohmann::json;

Json band_json(const FrequencyBand& band) {
  return Json::array({band.low.count(), band.high.count()});
}

}  // namespace

Json minute_json(const std::vector<SecondRecord>& seconds, const CpuTopology& topology) {
  std::uint64_t frames = 0;
  std::uint64_t late = 0;
  Json kept = Json::array();
  for (const SecondRecord& second : seconds) {
    frames += second.frames;
    late += second.late;
  }
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const auto top = static_cast<double>(topology.clusters[i].max_frequency().count());
    double sum = 0;
    double time = 0;
    for (const SecondRecord& second : seconds) {
      if (i < second.clusters.size()) {
        sum += second.clusters[i].cap_khz_seconds;
        time += to_seconds(second.seen);
      }
    }
    kept.push_back(time > 0 ? Json(std::lround(100 * sum / (time * top))) : Json());
  }
  Json big = kept.empty() ? Json() : kept[topology.fastest_cluster()];
  return {{"frames", frames},
          {"late", late},
          {"big_kept_percent", std::move(big)},
          {"kept_percent", std::move(kept)}};
}

Json seconds_json(const std::vector<SecondRecord>& seconds, const CpuTopology& topology) {
  Json list = Json::array();
  for (const SecondRecord& second : seconds) {
    Json clusters = Json::array();
    for (std::size_t i = 0; i < std::min(second.clusters.size(), topology.clusters.size()); ++i) {
      const ClusterSecond& cluster = second.clusters[i];
      clusters.push_back({{"policy", topology.clusters[i].cpufreq_id},
                          {"cap_khz", band_json(cluster.cap)},
                          {"floor_khz", band_json(cluster.floor)},
                          {"speed_khz", band_json(cluster.speed)}});
    }
    list.push_back({{"begin_ns", to_ns(second.begin)},
                    {"app", second.app.view()},
                    {"frames", second.frames},
                    {"late", second.late},
                    {"raised", second.raised},
                    {"shortest_ms", to_ms(second.shortest)},
                    {"mean_ms", second.frames > 0 ? to_ms(second.total) / second.frames : 0.0},
                    {"longest_ms", to_ms(second.longest)},
                    {"budget_ms", to_ms(second.budget)},
                    {"clusters", std::move(clusters)}});
  }
  return list;
}

}  // namespace framegov

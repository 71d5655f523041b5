// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/residency.h"

#include <cstdlib>
#include <sstream>
#include <string>

namespace framegov::calibrate {

std::size_t nearest_opp(const Cluster& cluster, Frequency frequency) {
  std::size_t nearest = 0;
  const auto distance = [&](std::size_t opp) {
    return std::abs(cluster.opps[opp].frequency.count() - frequency.count());
  };
  for (std::size_t i = 1; i < cluster.opps.size(); ++i) {
    nearest = distance(i) < distance(nearest) ? i : nearest;
  }
  return nearest;
}

OppTimes opp_times(const Cluster& cluster, std::string_view time_in_state) {
  constexpr std::int64_t kHighestKhz = 100'000'000;
  OppTimes times(cluster.opps.size());
  std::istringstream in{std::string(time_in_state)};
  std::int64_t frequency = 0;
  std::uint64_t ticks = 0;
  while (in >> frequency >> ticks) {
    if (frequency < 0 || frequency > kHighestKhz) {
      return {};
    }
    times[nearest_opp(cluster, khz(frequency))] += ticks;
  }
  return in.eof() ? times : OppTimes{};
}

std::optional<double> part_at(std::size_t opp, const OppTimes& before, const OppTimes& now) {
  if (before.size() != now.size() || opp >= now.size()) {
    return std::nullopt;
  }
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] < before[i]) {
      return std::nullopt;  // they were reset
    }
    all += now[i] - before[i];
  }
  return all > 0
             ? std::optional(static_cast<double>(now[opp] - before[opp]) / static_cast<double>(all))
             : std::nullopt;
}

}  // namespace framegov::calibrate

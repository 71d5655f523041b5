// SPDX-License-Identifier: Apache-2.0
#include "socs/phone_soc.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

namespace framegov {

namespace {

/// Of a phone's frequencies, those that the SoC has as well: makers leave out and add a few.
constexpr double kShared = 0.75;
/// The highest frequency differs this much between phones of one SoC: the same cores come faster.
constexpr double kTopsApart = 1.0 / 8;
/// Two frequencies this near are one, told by different clocks.
constexpr double kOneFrequency = 0.005;

std::uint64_t cpus_of(const SocCluster& cluster) {
  return ((std::uint64_t{1} << static_cast<unsigned>(cluster.cpu_count)) - 1)
         << static_cast<unsigned>(cluster.first_cpu);
}

double khz_of(Frequency frequency) { return static_cast<double>(frequency.count()); }

bool has(const SocCluster& cluster, double khz) {
  return std::any_of(cluster.opps.begin(), cluster.opps.end(),
                     [khz](double own) { return std::abs(own - khz) <= kOneFrequency * khz; });
}

/// Null where the SoC has no such cluster.
const SocCluster* matching(const KnownSoc& soc, const Cluster& cluster) {
  const auto found =
      std::find_if(soc.clusters.begin(), soc.clusters.end(),
                   [&](const SocCluster& each) { return (cluster.cpus & ~cpus_of(each)) == 0; });
  if (found == soc.clusters.end() || found->opps.empty()) {
    return nullptr;
  }
  const auto& opps = cluster.opps;
  const auto shared =
      static_cast<double>(std::count_if(opps.begin(), opps.end(), [&](const Opp& opp) {
        return has(*found, khz_of(opp.frequency));
      }));
  const double tops = khz_of(cluster.max_frequency()) / khz_of(found->max_frequency());
  const bool fits =
      shared >= kShared * static_cast<double>(opps.size()) && std::abs(tops - 1) <= kTopsApart;
  return fits ? &*found : nullptr;
}

/// Linear between two measured frequencies and past the last, in proportion below the first.
Power power_at(const SocCluster& cluster, double khz) {
  const auto& opps = cluster.opps;
  const auto mw = [&](std::size_t opp) { return static_cast<double>(cluster.mw[opp]); };
  if (khz <= opps.front() || opps.size() == 1) {
    return Power{mw(0) * khz / opps.front()};
  }
  const auto above = std::lower_bound(opps.begin() + 1, opps.end() - 1, khz);
  const auto high = static_cast<std::size_t>(above - opps.begin());
  const double low_khz = opps[high - 1];
  const double slope = (mw(high) - mw(high - 1)) / (opps[high] - low_khz);
  return Power{std::max(mw(high - 1) + slope * (khz - low_khz), std::min(mw(high - 1), mw(high)))};
}

SeenFrequencies frequencies_of(const CpuTopology& topology) {
  SeenFrequencies seen;
  for (const Cluster& cluster : topology.clusters) {
    seen.resize(std::max(seen.size(), static_cast<std::size_t>(std::bit_width(cluster.cpus))));
    for (std::size_t cpu = 0; cpu < seen.size(); ++cpu) {
      for (std::size_t i = 0; ((cluster.cpus >> cpu) & 1U) != 0 && i < cluster.opps.size(); ++i) {
        seen[cpu].push_back(static_cast<std::uint32_t>(cluster.opps[i].frequency.count()));
      }
    }
  }
  return seen;
}

bool fits(const KnownSoc& soc, const CpuTopology& topology) {
  return !topology.clusters.empty() &&
         std::all_of(topology.clusters.begin(), topology.clusters.end(),
                     [&](const Cluster& cluster) { return matching(soc, cluster) != nullptr; });
}

/// Whether those are all that it has: no more, as far as the highest tell.
bool same_tops(const KnownSoc& soc, const CpuTopology& topology) {
  return std::all_of(topology.clusters.begin(), topology.clusters.end(), [&](const Cluster& each) {
    const SocCluster* const own = matching(soc, each);
    return own != nullptr && own->max_frequency() == each.max_frequency();
  });
}

/// Null: none has the phone's clusters and frequencies, or several have.
const KnownSoc* with_frequencies(const CpuTopology& topology, const SeenFrequencies& seen) {
  const KnownSoc* found = nullptr;
  for (const KnownSoc& soc : known_socs()) {
    if (topology.clusters.size() > 1 && has_all(soc, seen) && same_tops(soc, topology)) {
      if (found != nullptr) {
        return nullptr;
      }
      found = &soc;
    }
  }
  return found;
}

}  // namespace

PhoneSoc find_phone_soc(std::span<const SocName> names, const CpuTopology& topology) {
  const SeenFrequencies seen = frequencies_of(topology);
  PhoneSoc near;
  for (const SocName& each : names) {
    const KnownSoc* soc = find_soc(each.name);
    soc = soc != nullptr ? soc : find_soc(each.name, {});
    if (soc != nullptr && has_all(*soc, seen) && fits(*soc, topology)) {
      return {soc, each.said_by};
    }
    if (soc != nullptr && near.soc == nullptr && fits(*soc, topology)) {
      near = {soc, each.said_by};
    }
  }
  const KnownSoc* const told = with_frequencies(topology, seen);
  return told != nullptr ? PhoneSoc{told, "its frequencies"} : near;
}

Status set_measured_power(CpuTopology& topology, const KnownSoc& soc) {
  if (soc.power_source.empty()) {
    return fail(ExitCode::kUnsupported,
                "nobody has measured the power of " + std::string(soc.name));
  }
  StaticVector<const SocCluster*, kMaxClusters> table;
  for (const Cluster& cluster : topology.clusters) {
    const SocCluster* const found = matching(soc, cluster);
    if (found == nullptr) {
      return fail(ExitCode::kUnsupported, "policy" + std::to_string(cluster.cpufreq_id) +
                                              " has not the CPUs and frequencies of " +
                                              std::string(soc.name));
    }
    table.push_back(found);
  }
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (Opp& opp : topology.clusters[i].opps) {
      opp.active = power_at(*table[i], khz_of(opp.frequency));
    }
  }
  topology.power_measured = true;
  return {};
}

}  // namespace framegov

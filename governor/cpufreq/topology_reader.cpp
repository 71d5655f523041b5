// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/topology_reader.h"

#include <algorithm>
#include <optional>
#include <set>

namespace framegov {

namespace {

constexpr int kSyntheticSteps = 8;
constexpr double kFullCapacity = 1024;
constexpr std::int64_t kMostCapacity = 1'000'000;
/// Drivers that do not know their latency state 0 or CPUFREQ_ETERNAL (all ones).
constexpr Duration kLongestTransition = std::chrono::milliseconds{5};

struct ClusterFacts {
  std::vector<Frequency> frequencies;  // ascending
  std::optional<double> capacity;
};

Result<std::int64_t> required_number(const CpufreqTree& tree, const std::string& node) {
  const auto text = tree.read(node);
  const auto numbers = text ? parse_numbers(*text) : std::vector<std::int64_t>{};
  if (numbers.empty() || numbers.front() <= 0 || numbers.front() > kHighestFrequency.count()) {
    return fail(ExitCode::kUnsupported,
                (tree.root() / node).string() + ": no frequency can be read from it",
                "a cpufreq policy without its range cannot be governed");
  }
  return numbers.front();
}

std::optional<std::int64_t> optional_number(const CpufreqTree& tree, const std::string& node) {
  const auto text = tree.read(node);
  const auto numbers = text ? parse_numbers(*text) : std::vector<std::int64_t>{};
  return numbers.empty() ? std::nullopt : std::optional(numbers.front());
}

Duration transition_latency(const CpufreqTree& tree, const std::string& dir) {
  const Duration stated{optional_number(tree, dir + "/cpuinfo_transition_latency").value_or(0)};
  return stated > Duration::zero() && stated <= kLongestTransition ? stated : Duration::zero();
}

/// First column of stats/time_in_state: "kHz ticks" rows.
std::vector<std::int64_t> time_in_state(const std::string& text) {
  const auto numbers = parse_numbers(text);
  std::vector<std::int64_t> frequencies;
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    frequencies.push_back(numbers[i]);
  }
  return frequencies;
}

/// Keeps kMaxOpps of them, evenly spread, the lowest and the highest among them.
std::vector<Frequency> thinned(const std::set<std::int64_t>& all) {
  const std::vector<std::int64_t> sorted(all.begin(), all.end());
  const std::size_t count = std::min(sorted.size(), kMaxOpps);
  std::vector<Frequency> kept;
  for (std::size_t i = 0; i < count; ++i) {
    kept.push_back(khz(sorted[count == 1 ? 0 : i * (sorted.size() - 1) / (count - 1)]));
  }
  return kept;
}

Result<std::vector<Frequency>> read_frequencies(const CpufreqTree& tree, const ClusterDir& dir,
                                                std::vector<std::string>& notes) {
  FRAMEGOV_TRY(const auto lowest, required_number(tree, dir.path + "/cpuinfo_min_freq"));
  FRAMEGOV_TRY(const auto highest, required_number(tree, dir.path + "/cpuinfo_max_freq"));
  if (lowest > highest) {
    return fail(ExitCode::kUnsupported,
                (tree.root() / dir.path).string() + ": cpuinfo_min_freq is above cpuinfo_max_freq");
  }
  std::set<std::int64_t> all;
  const auto add = [&](const std::vector<std::int64_t>& frequencies) {
    for (const std::int64_t frequency : frequencies) {
      if (frequency >= lowest && frequency <= highest) {
        all.insert(frequency);
      }
    }
  };
  for (const char* node : {"/scaling_available_frequencies", "/scaling_boost_frequencies"}) {
    if (const auto text = tree.read(dir.path + node)) {
      add(parse_numbers(*text));
    }
  }
  if (all.empty() || *all.rbegin() < highest) {
    if (const auto text = tree.read(dir.path + "/stats/time_in_state")) {
      add(time_in_state(*text));
    }
  }
  if (all.empty()) {
    for (int i = 0; i < kSyntheticSteps; ++i) {
      all.insert(lowest + (highest - lowest) * i / (kSyntheticSteps - 1));
    }
    notes.push_back(dir.name() + " lists no frequencies: " + std::to_string(all.size()) +
                    " even steps from " + std::to_string(lowest) + " to " +
                    std::to_string(highest) + " kHz are assumed");
  } else if (all.size() > kMaxOpps) {
    notes.push_back(dir.name() + " lists " + std::to_string(all.size()) + " frequencies: " +
                    std::to_string(kMaxOpps) + " of them, evenly spread, are used");
  }
  return thinned(all);
}

/// Capacities of 1024, the largest brought to 1024; by top frequency where one is not known.
std::vector<double> capacities(const std::vector<ClusterFacts>& facts,
                               std::vector<std::string>& notes) {
  const bool known = std::all_of(facts.begin(), facts.end(),
                                 [](const ClusterFacts& f) { return f.capacity.value_or(0) > 0; });
  if (!known && facts.size() > 1) {
    notes.emplace_back(
        "cpu_capacity is missing: assuming capacities proportional to the top frequencies");
  }
  std::vector<double> result;
  for (const ClusterFacts& fact : facts) {
    result.push_back(known ? *fact.capacity : static_cast<double>(fact.frequencies.back().count()));
  }
  const double largest = *std::max_element(result.begin(), result.end());
  for (double& capacity : result) {
    capacity *= kFullCapacity / largest;
  }
  return result;
}

/// Index of the reference core's cluster: most capacity, then highest frequency.
std::size_t reference_cluster(const std::vector<ClusterFacts>& facts,
                              const std::vector<double>& capacity) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < facts.size(); ++i) {
    if (std::pair(capacity[i], facts[i].frequencies.back()) >
        std::pair(capacity[best], facts[best].frequencies.back())) {
      best = i;
    }
  }
  return best;
}

}  // namespace

Result<TopologyReading> read_topology(const CpufreqTree& tree, const PowerSources& sources) {
  TopologyReading reading;
  std::vector<ClusterFacts> facts;
  for (const ClusterDir& dir : tree.clusters()) {
    FRAMEGOV_TRY(auto frequencies, read_frequencies(tree, dir, reading.notes));
    const auto capacity =
        optional_number(tree, "cpu" + std::to_string(dir.first_cpu()) + "/cpu_capacity");
    const bool possible = capacity.value_or(0) > 0 && *capacity <= kMostCapacity;
    facts.push_back({std::move(frequencies),
                     possible ? std::optional(static_cast<double>(*capacity)) : std::nullopt});
  }

  for (const ClusterDir& dir : tree.left_out()) {
    reading.notes.push_back(
        dir.name() + " cannot be read, as its CPUs are offline: it is left alone until they come");
  }

  const std::vector<double> capacity = capacities(facts, reading.notes);
  const double reference_khz =
      static_cast<double>(facts[reference_cluster(facts, capacity)].frequencies.back().count());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const ClusterDir& dir = tree.clusters()[i];
    const auto& frequencies = facts[i].frequencies;
    const double top_khz = static_cast<double>(frequencies.back().count());
    const double top_speed = capacity[i] / kFullCapacity * reference_khz * 1e3;
    Cluster cluster;
    cluster.cpufreq_id = dir.id;
    cluster.cpus = dir.cpus;
    cluster.transition_latency = transition_latency(tree, dir.path);
    for (const Frequency frequency : frequencies) {
      const double part = static_cast<double>(frequency.count()) / top_khz;
      cluster.opps.push_back({frequency, Speed{top_speed * part}, Power{}});
    }
    reading.topology.clusters.push_back(cluster);
  }
  reading.power = set_power(reading.topology, tree, sources);
  reading.notes.push_back("power: " + reading.power.words);
  return reading;
}

}  // namespace framegov

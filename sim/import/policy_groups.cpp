// SPDX-License-Identifier: Apache-2.0
#include "sim/import/policy_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>

namespace framegov {

namespace {

using Frequencies = std::set<std::uint32_t>;  // kHz

bool has_cpu(const WorkloadCluster& group, const CpuFrequencySample& sample) {
  return ((group.cpus >> static_cast<unsigned>(sample.cpu)) & 1U) != 0;
}

/// True when both had, for the most part, the same frequencies, whenever that was.
bool alike(std::span<const Frequencies> a, std::span<const Frequencies> b) {
  const auto all_of = [](std::span<const Frequencies> parts) {
    Frequencies all;
    for (const Frequencies& part : parts) {
      all.insert(part.begin(), part.end());
    }
    return all;
  };
  const Frequencies of_a = all_of(a);
  const Frequencies of_b = all_of(b);
  const auto shared = static_cast<std::size_t>(std::count_if(
      of_a.begin(), of_a.end(), [&](std::uint32_t khz) { return of_b.contains(khz); }));
  return shared * 2 > std::min(of_a.size(), of_b.size());
}

/// True when nowhere within `groups` one kind of CPU ends and another begins.
bool all_alike(std::span<const Frequencies> groups) {
  for (std::size_t split = 1; split < groups.size(); ++split) {
    if (!alike(groups.first(split), groups.subspan(split))) {
      return false;
    }
  }
  return true;
}

WorkloadCluster joined(std::span<const WorkloadCluster> groups) {
  WorkloadCluster all = groups.front();
  for (const WorkloadCluster& group : groups) {
    all.cpus |= group.cpus;
  }
  return all;
}

/// How often CPUs were told the frequency that they had. One change that is told for several CPUs
/// is none.
std::size_t count_repeats(const WorkloadCluster& cpus,
                          const std::vector<CpuFrequencySample>& changes) {
  constexpr std::int64_t kTogetherNs = 200'000;
  const CpuFrequencySample* last = nullptr;
  std::size_t count = 0;
  for (const CpuFrequencySample& change : changes) {
    if (has_cpu(cpus, change)) {
      const bool same = last != nullptr && last->khz == change.khz;
      count += same && change.at - last->at > kTogetherNs ? 1U : 0U;
      last = &change;
    }
  }
  return count;
}

}  // namespace

std::vector<WorkloadCluster> join_policies(const std::vector<WorkloadCluster>& groups,
                                           const std::vector<CpuFrequencySample>& changes) {
  std::vector<Frequencies> frequencies(groups.size());
  for (const CpuFrequencySample& change : changes) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (has_cpu(groups[i], change)) {
        frequencies[i].insert(change.khz);
      }
    }
  }
  /// The best way to join the groups up to one.
  struct Joined {
    std::size_t repeats{};
    std::size_t policies{};
    std::size_t last{};  ///< the group that the last policy begins with
  };
  std::vector<Joined> best(1);
  for (std::size_t end = 1; end <= groups.size(); ++end) {
    best.push_back({.repeats = SIZE_MAX, .policies = 0, .last = 0});
    for (std::size_t begin = 0; begin < end; ++begin) {
      const std::size_t count = end - begin;
      if (!all_alike(std::span(frequencies).subspan(begin, count))) {
        continue;
      }
      const WorkloadCluster policy = joined(std::span(groups).subspan(begin, count));
      const Joined way{.repeats = best[begin].repeats + count_repeats(policy, changes),
                       .policies = best[begin].policies + 1,
                       .last = begin};
      if (std::tie(way.repeats, way.policies) < std::tie(best[end].repeats, best[end].policies)) {
        best[end] = way;
      }
    }
  }
  std::vector<WorkloadCluster> policies;
  for (std::size_t end = groups.size(); end > 0; end = best[end].last) {
    const std::size_t begin = best[end].last;
    policies.push_back(joined(std::span(groups).subspan(begin, end - begin)));
  }
  std::reverse(policies.begin(), policies.end());
  return policies;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "sim/import/policy_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>

namespace framegov::sim {

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

/// A policy more has to save this part of all changes in repeats: kernels repeat now and then what
/// they told, after a limit changed or events were lost.
constexpr double kOfAPolicy = 0.005;
/// Where even the best way repeats more, repeats tell nothing.
constexpr double kMostRepeats = 0.03;

/// The cheapest way to cut a row of groups into policies of CPUs that are all alike.
class Ways {
 public:
  /// `cost_of(begin, end)`: of the groups from `begin` up to `end` as one policy.
  template <class Cost>
  Ways(std::span<const Frequencies> groups, Cost&& cost_of) : best_(1) {
    for (std::size_t end = 1; end <= groups.size(); ++end) {
      best_.push_back({.cost = std::numeric_limits<double>::infinity(), .begin = 0});
      for (std::size_t begin = 0; begin < end; ++begin) {
        if (all_alike(groups.subspan(begin, end - begin))) {
          const double cost = best_[begin].cost + cost_of(begin, end);
          best_[end] = cost < best_[end].cost ? Way{cost, begin} : best_[end];
        }
      }
    }
  }

  /// Where each policy begins, ascending.
  [[nodiscard]] std::vector<std::size_t> begins() const {
    std::vector<std::size_t> all;
    for (std::size_t end = best_.size() - 1; end > 0; end = best_[end].begin) {
      all.insert(all.begin(), best_[end].begin);
    }
    return all;
  }

 private:
  struct Way {
    double cost{};
    std::size_t begin{};  ///< of the last policy
  };
  std::vector<Way> best_;  ///< of the groups up to each
};

/// True when most changes of `follower` are changes of `leader` too. The kernel tells the CPUs of
/// one policy within microseconds of each other.
bool follows(const CpuChanges& leader, const CpuChanges& follower) {
  constexpr std::int64_t kTogetherNs = 200'000;
  std::size_t together = 0;
  for (const CpuFrequencySample& change : follower) {
    const auto after = std::upper_bound(
        leader.begin(), leader.end(), change.at + kTogetherNs,
        [](std::int64_t at, const CpuFrequencySample& sample) { return at < sample.at; });
    const bool has = after != leader.begin() && std::prev(after)->khz == change.khz;
    together += has && change.at - std::prev(after)->at <= kTogetherNs ? 1U : 0U;
  }
  return together * 10 >= follower.size() * 8;
}

}  // namespace

ChangesByCpu changes_by_cpu(const CpuChanges& samples) {
  ChangesByCpu by_cpu;
  for (const CpuFrequencySample& sample : samples) {
    CpuChanges& own = by_cpu[static_cast<std::size_t>(sample.cpu)];
    if (own.empty() || own.back().khz != sample.khz) {
      own.push_back(sample);
    }
  }
  return by_cpu;
}

bool together(const CpuChanges& a, const CpuChanges& b) { return follows(a, b) && follows(b, a); }

bool tells_leaders_only(const ChangesByCpu& by_cpu) {
  const CpuChanges* last = nullptr;
  std::size_t count = 0;
  for (const CpuChanges& own : by_cpu) {
    if (own.empty()) {
      continue;
    }
    if (last != nullptr && together(*last, own)) {
      return false;
    }
    last = &own;
    ++count;
  }
  return count > 1 || !by_cpu.front().empty();
}

bool is_told_by_cpu(const ChangesByCpu& by_cpu) {
  for (std::size_t cpu = 1; cpu < kMaxCpus; ++cpu) {
    if (!by_cpu[cpu].empty() && together(by_cpu[cpu - 1], by_cpu[cpu])) {
      return true;
    }
  }
  return false;
}

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
  const auto repeats_of = [&](std::size_t begin, std::size_t end) {
    return count_repeats(joined(std::span(groups).subspan(begin, end - begin)), changes);
  };
  const auto all = static_cast<double>(changes.size());
  const Ways by_repeats(frequencies, [&](std::size_t begin, std::size_t end) {
    return static_cast<double>(repeats_of(begin, end)) + kOfAPolicy * all;
  });
  std::vector<std::size_t> begins = by_repeats.begins();
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    repeats += repeats_of(begins[i], i + 1 < begins.size() ? begins[i + 1] : groups.size());
  }
  if (static_cast<double>(repeats) > kMostRepeats * all) {
    begins = Ways(frequencies, [](std::size_t, std::size_t) { return 1.0; }).begins();
  }
  std::vector<WorkloadCluster> policies;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : groups.size();
    policies.push_back(joined(std::span(groups).subspan(begins[i], end - begins[i])));
  }
  return policies;
}

}  // namespace framegov::sim

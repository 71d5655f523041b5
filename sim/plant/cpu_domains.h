// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/cpu_topology.h"

namespace framegov::sim {

/// A cluster as the kernel's energy model has it: a performance domain
/// (kernel/power/energy_model.c).
struct PerformanceDomain {
  std::size_t first_cpu = 0;
  std::size_t cpus = 0;
  std::vector<double> khz;  ///< by performance state, ascending
  std::vector<double> mw;   ///< of one busy CPU
  double capacity = 0;      ///< full, as a share of the fastest CPU's
};

/// A phone's domains, which CPUs are theirs, and how large a kernel takes them for. A lower
/// scaling_max_freq makes CPUs smaller; when the scheduler sees that differs.
class CpuDomains {
 public:
  enum class LimitsSeen : std::uint8_t { kNever, kAtBalance, kAtOnce };

  CpuDomains(std::vector<PerformanceDomain> domains, LimitsSeen seen)
      : domains_(std::move(domains)), seen_(seen) {
    for (std::size_t d = 0; d < domains_.size(); ++d) {
      limited_[d] = domains_[d].capacity;
      capacity_of_[d] = domains_[d].capacity;
      for (std::size_t i = 0; i < domains_[d].cpus; ++i) {
        domain_of_[cpus_++] = static_cast<std::uint8_t>(d);
      }
    }
  }

  /// From now on the domain may use no more than this share of its top frequency.
  void limit(std::size_t domain, double share) {
    limited_[domain] = domains_[domain].capacity * share;
    if (seen_ == LimitsSeen::kAtOnce) {
      capacity_of_[domain] = limited_[domain];
    }
  }
  /// A load balance.
  void balance() {
    if (seen_ == LimitsSeen::kAtBalance) {
      capacity_of_ = limited_;
    }
  }

  [[nodiscard]] std::size_t size() const { return domains_.size(); }
  [[nodiscard]] const PerformanceDomain& operator[](std::size_t domain) const {
    return domains_[domain];
  }
  [[nodiscard]] std::size_t cpus() const { return cpus_; }
  [[nodiscard]] std::size_t of(std::size_t cpu) const { return domain_of_[cpu]; }
  /// What the scheduler takes the domain's for.
  [[nodiscard]] double capacity_of(std::size_t domain) const { return capacity_of_[domain]; }

 private:
  std::vector<PerformanceDomain> domains_;
  LimitsSeen seen_;
  std::size_t cpus_ = 0;
  std::array<std::uint8_t, kMaxCpus> domain_of_{};
  std::array<double, kMaxClusters> limited_{};      ///< capacity under the present limit
  std::array<double, kMaxClusters> capacity_of_{};  ///< as the scheduler sees it
};

}  // namespace framegov::sim

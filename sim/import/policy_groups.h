// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "base/cpu_topology.h"
#include "sim/workload/workload.h"
#include "trace/trace_events.h"

namespace framegov::sim {

/// Joins neighbours (ascending by CPU) that make one policy, where the kernel tells a change for
/// one CPU of it alone: all its CPUs' changes, told in turn, never repeat a frequency, while those
/// of a part of it or of two policies do now and then. So joined is what repeats least, but for the
/// few repeats that a policy more has to save; and where all ways repeat often, what makes the
/// fewest policies of CPUs that mostly had the same frequencies.
/// `changes` ascend by time.
[[nodiscard]] std::vector<WorkloadCluster> join_policies(
    const std::vector<WorkloadCluster>& groups, const std::vector<CpuFrequencySample>& changes);

using CpuChanges = std::vector<CpuFrequencySample>;
using ChangesByCpu = std::array<CpuChanges, kMaxCpus>;

/// The changes of each CPU, repeated values left out.
[[nodiscard]] ChangesByCpu changes_by_cpu(const CpuChanges& samples);

/// True when most changes of either CPU are changes of the other too, and at the same time: the
/// kernel tells the CPUs of one policy within microseconds of each other.
[[nodiscard]] bool together(const CpuChanges& a, const CpuChanges& b);

/// True when the kernel tells one CPU of each policy only: of several that have changes no two
/// share them. If there is one alone it must be CPU 0, the first of a policy.
[[nodiscard]] bool tells_leaders_only(const ChangesByCpu& by_cpu);

/// The kernel tells every CPU of a policy, as neighbours that change together show. Kernels before
/// 5.3 tell a fast switch for one CPU alone.
[[nodiscard]] bool is_told_by_cpu(const ChangesByCpu& by_cpu);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/workload/workload.h"
#include "trace/trace_events.h"

namespace framegov {

/// Joins neighbours (ascending by CPU) that make one policy, where the kernel tells a change for
/// one CPU of it alone: all its CPUs' changes, told in turn, never repeat a frequency, while those
/// of a part of it or of two policies do now and then. So joined is what repeats least, but for the
/// few repeats that a policy more has to save; and where all ways repeat often, what makes the
/// fewest policies of CPUs that mostly had the same frequencies.
/// `changes` ascend by time.
[[nodiscard]] std::vector<WorkloadCluster> join_policies(
    const std::vector<WorkloadCluster>& groups, const std::vector<CpuFrequencySample>& changes);

}  // namespace framegov

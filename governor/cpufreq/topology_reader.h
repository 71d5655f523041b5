// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/power_model.h"

namespace framegov {

/// A topology, and what had to be assumed for it: a line each, for the log.
struct TopologyReading {
  CpuTopology topology;
  PowerKnowledge power;
  std::vector<std::string> notes;
};

/// Reads every cluster's OPPs, capacity and power (set_power()).
///
/// Frequencies: scaling_available_frequencies and scaling_boost_frequencies; rows of
/// stats/time_in_state are added when these do not reach cpuinfo_max_freq; without any, eight even
/// steps from cpuinfo_min_freq to cpuinfo_max_freq (noted). Capacity: cpu_capacity of the cluster's
/// first CPU; where one is missing all are taken as proportional to the top frequency (noted). The
/// fastest core is the reference: its speed at its top OPP is its frequency in Hz.
/// Error: a cluster without cpuinfo_min_freq or cpuinfo_max_freq, or with these the wrong way
/// round.
[[nodiscard]] Result<TopologyReading> read_topology(const CpufreqTree& tree,
                                                    const PowerSources& sources);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/settings.h"
#include "probes/context/doctor_finding.h"

namespace framegov {

/// What doctor says of the clusters: their limits, whether they can be written, and whether
/// somebody holds them down. Limits that framegov itself set are compared by what was there before
/// it; with no service `running` they were left behind by one that was killed.
[[nodiscard]] std::vector<DoctorFinding> examine_cpufreq(const ServiceSettings& settings,
                                                         bool running);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "governor/cpufreq/power_model.h"
#include "probes/context/kernel_findings.h"
#include "probes/sources/source_plan.h"

namespace framegov {

/// What doctor says of the libraries that are probed, and of where frames come from.
[[nodiscard]] std::vector<DoctorFinding> examine_sources(const PlanInput& input);

/// What doctor says of the clusters: their limits, whether they can be written, and whether
/// somebody holds them down. Limits that framegov itself set are compared by what was there before
/// it; with no service `running` they were left behind by one that was killed.
[[nodiscard]] std::vector<DoctorFinding> examine_cpufreq(const ServiceSettings& settings,
                                                         bool running);

/// What doctor says of how the clusters' power is known. Nothing where there are no clusters.
[[nodiscard]] std::optional<DoctorFinding> examine_power(const ServiceSettings& settings,
                                                         const PowerSources& sources);

/// What doctor says of steering frames' threads, by a trial with a thread of its own.
[[nodiscard]] DoctorFinding examine_threads(const ServiceSettings& settings);

/// What doctor says of other frame engines on the phone, a finding for each.
[[nodiscard]] std::vector<DoctorFinding> examine_engines(const ServiceSettings& settings);

/// What doctor says of the phone as it is now: the refresh rate and the app on top, asked as the
/// service asks, and who else probes. Waits some seconds for Android's commands. `tracefs`: empty
/// where it is not mounted; `probed`: the libraries that framegov probes.
[[nodiscard]] std::vector<DoctorFinding> examine_phone(const ServiceSettings& settings,
                                                       const std::filesystem::path& tracefs,
                                                       const std::vector<std::string>& probed);

}  // namespace framegov

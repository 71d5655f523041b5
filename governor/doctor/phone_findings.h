// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/settings.h"
#include "probes/context/doctor_finding.h"

namespace framegov {

/// What doctor says of the phone as it is now: the refresh rate and the app on top, asked as the
/// service asks, and who else probes. Waits some seconds for Android's commands. `tracefs`: empty
/// where it is not mounted; `probed`: the libraries that framegov probes.
[[nodiscard]] std::vector<DoctorFinding> examine_phone(const ServiceSettings& settings,
                                                       const std::filesystem::path& tracefs,
                                                       const std::vector<std::string>& probed);

}  // namespace framegov

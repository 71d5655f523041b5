// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/settings.h"
#include "probes/context/kernel_findings.h"

namespace framegov {

/// What was found, and what it comes to.
struct DoctorReport {
  std::vector<DoctorFinding> findings;
  bool can_govern = false;  ///< nothing is missing that is needed
};

/// Looks at everything that the service needs with these settings, as the service would, and
/// changes nothing (but for the cache of probe sites).
[[nodiscard]] DoctorReport examine(const ServiceSettings& settings);

}  // namespace framegov

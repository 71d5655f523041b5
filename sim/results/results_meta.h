// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/run/replay.h"

namespace framegov::sim {

/// Of the results JSON (docs/results.schema.json). It grows by one when a reader of the version
/// before would misread a file; new keys alone do not make a new version.
inline constexpr int kResultsSchemaVersion = 1;

/// What results are to be read beside, and what repeats them: {"schema","schema_version","program",
/// "version","world":{"name","factors"},"seed","settings","inputs":[{"name","sha256"}],
/// "devices":[{"name","sha256"}],"policies":[{"name","parameters"}]}.
///
/// `version` is the program's. An input's hash is of its file, null where it is generated; a
/// device's is of its YAML file (sim/devices/content_hash.h).
[[nodiscard]] nlohmann::json results_meta(std::string_view version,
                                          const std::vector<ReplayInput>& inputs,
                                          const std::vector<ReplayDevice>& devices,
                                          const std::vector<const PolicyEntry*>& policies,
                                          const ReplaySettings& settings);

}  // namespace framegov::sim

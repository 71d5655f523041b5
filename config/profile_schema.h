// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace framegov {

/// The JSON Schema of profiles: config/profile.schema.json with the settings of
/// config/profile_fields.h. Editors check files by it, and the page makes its form of it.
[[nodiscard]] nlohmann::ordered_json profile_schema();

}  // namespace framegov

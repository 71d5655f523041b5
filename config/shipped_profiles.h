// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace framegov::embedded {

/// config/profiles/shipped.yaml and config/profile.schema.json, compiled in: a phone needs no
/// further file to have them.
extern const std::string_view kShippedProfiles;
extern const std::string_view kProfileSchema;

}  // namespace framegov::embedded

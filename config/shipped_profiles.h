// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace framegov::embedded {

/// config/profiles/shipped.yaml and config/profile.schema.json, compiled in: a phone needs no
/// further file to have them. The schema is a frame that profile_schema() fills.
extern const std::string_view kShippedProfiles;
extern const std::string_view kProfileSchemaFrame;

}  // namespace framegov::embedded

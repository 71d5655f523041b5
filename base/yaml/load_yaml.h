// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

namespace framegov {

/// The document that `text` holds; nothing when it holds none.
///
/// Throws YAML::Exception, whose mark says where, when it is no YAML, holds more than one document,
/// nests deeper than yaml-cpp allows (500), or grows to more than eight times its size (1 MiB is
/// free) as its aliases are followed: what is returned can be walked and copied whole.
[[nodiscard]] std::optional<YAML::Node> load_yaml(const std::string& text);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace framegov {

/// True when `yaml` holds a document, false when it holds none. Throws YAML::Exception when it is
/// not YAML, or holds more than one.
///
/// YAML::LoadAll would tell too, but never comes back from a comma where a document ends: it takes
/// it for the beginning of one more empty document, for ever (yaml-cpp 0.7). This stops at the
/// second.
[[nodiscard]] bool holds_a_document(const std::string& yaml);

}  // namespace framegov

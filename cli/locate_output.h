// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "probes/locate/probe_sites.h"

namespace framegov::cli {

/// The libraries as JSON: the first one's object, or all in a list. Offsets are "0x..." strings.
[[nodiscard]] std::string json(const std::vector<LibrarySites>& libraries, bool as_list);

/// A row for a table of probe sites (config/probe_sites.yaml); a comment when the library has no
/// frame-info site.
[[nodiscard]] std::string yaml_row(const LibrarySites& library);

/// For people: aligned columns, then what each method said.
[[nodiscard]] std::string text(const LibrarySites& library);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/locate/elf_image.h"
#include "probes/locate/known_functions.h"
#include "probes/locate/probe_sites.h"
#include "probes/locate/probe_table.h"

namespace framegov {

/// What the methods together say of the GetLongArrayRegion call.
struct FrameInfoAnswer {
  std::optional<ProbeSite> site;
  std::vector<std::string>
      notes;            ///< what each method said, in their order, and one when two disagree
  std::string why_not;  ///< why there is no site: the most telling reason
};

/// Asks every method and compares: `symbols` are the functions already found by name, `row` the
/// table's entry for this library (may be null).
[[nodiscard]] FrameInfoAnswer find_frame_info(const ElfImage& image, const SymbolFindings& symbols,
                                              const ProbeTable::Row* row);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/cpu_topology.h"
#include "cli/calibrate/estimator.h"
#include "cli/calibrate/run.h"
#include "cli/owner_texts.h"

namespace framegov::cli {

/// "12 %, 40 min left: policy4 at 1803 MHz, 2 CPUs busy"
[[nodiscard]] std::string calibrate_progress_text(const calibrate::Progress& progress,
                                                  const CpuTopology& topology,
                                                  const OwnerTexts& texts);

/// Which segment was thrown away, and why.
[[nodiscard]] std::string calibrate_drop_text(const calibrate::Dropped& dropped,
                                              const CpuTopology& topology, const OwnerTexts& texts);

/// What was found, in sentences.
[[nodiscard]] std::vector<std::string> calibrate_sentences(const CpuTopology& topology,
                                                           const calibrate::Estimate& estimate,
                                                           const calibrate::DropCounts& dropped,
                                                           const OwnerTexts& texts);

/// As docs/calibrate.md has it.
[[nodiscard]] nlohmann::ordered_json to_json(const CpuTopology& topology,
                                             const calibrate::Estimate& estimate,
                                             const calibrate::DropCounts& dropped);

}  // namespace framegov::cli

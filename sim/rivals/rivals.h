// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "policy/policy.h"

namespace framegov::sim {

/// Names that make_rival() knows (docs/comparison/rivals.md).
[[nodiscard]] std::span<const std::string_view> rival_names();

/// Another project's control law, written from a description of its behaviour, with the frame
/// source that it has there (most see only intervals). What the description leaves open is a
/// constant with its reason in the law's own file. Unknown name: an error that lists the known
/// ones.
[[nodiscard]] Result<std::unique_ptr<Policy>> make_rival(std::string_view name,
                                                         const CpuTopology& topology);

}  // namespace framegov::sim

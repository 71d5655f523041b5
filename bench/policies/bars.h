// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "bench/policies/bar_table.h"
#include "bench/policies/run_table.h"

namespace framegov {

/// Misses and energy beside the bounds, and beside what a scheduler reaches that knows the works of
/// `around` frames before and after each.
void against_bounds(const std::string& what, const RunTable& strict, const RunTable& buffered,
                    std::size_t around, BarTable& bars);

/// Energy and misses beside those of what phones ship, and of every rival in the table.
void against_rivals(const RunTable& strict, BarTable& bars);

/// Misses over a long workload that never settles, at several targets.
void against_target(std::size_t jobs, BarTable& bars);

/// Generation time added to what full speed has.
void against_latency(const RunTable& strict, BarTable& bars);

/// Writes and wakeups.
void against_acts(const RunTable& strict, const RunTable& buffered, BarTable& bars);

/// What a step of a policy takes, and whether it allocates.
void against_clock(const Ground& ground, BarTable& bars);

}  // namespace framegov

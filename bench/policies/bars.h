// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "bench/policies/bar_table.h"
#include "bench/policies/run_table.h"

namespace framegov::sim {

/// Energy of a scheduler that knows the works of `around` frames before and after each, others'
/// work done.
struct KnownWorks {
  std::size_t around;
  RunTable::Energy strict;
  RunTable::Energy buffered;
};
[[nodiscard]] KnownWorks known_works_of(const Ground& ground, std::size_t around);

/// Misses and energy beside the bounds, and beside what a scheduler reaches that knows the works.
void against_bounds(const std::string& what, const RunTable& strict, const RunTable& buffered,
                    const KnownWorks& known, BarTable& bars);

/// Energy and misses beside those of what phones ship, and of every rival in the table.
void against_rivals(const RunTable& strict, const KnownWorks& known, BarTable& bars);

/// Misses over a long workload that never settles, at several targets.
void against_target(std::size_t jobs, BarTable& bars);

/// Generation time added to what full speed has.
void against_latency(const RunTable& strict, BarTable& bars);

/// Writes and wakeups.
void against_acts(const RunTable& strict, const RunTable& buffered, BarTable& bars);

/// What a step of a policy takes, and whether it allocates.
void against_clock(const Ground& ground, BarTable& bars);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/policies/bar_table.h"
#include "bench/policies/run_table.h"

namespace framegov::sim {

/// The policies with the deadlines that phones give: the platform's own (FrameDeadline) where the
/// input tells it, else the next vsync, as the service has it. Strict and buffered ones beside.
/// Each table has mpc, pid, performance and schedutil-boost.
void print_deadlines(const RunTable& real, const RunTable& strict, const RunTable& buffered);

/// mpc's energy and misses with real deadlines, and the inputs on phones where it loses: full speed
/// or the boosted governor misses no more there, and mpc takes more than 1.01 times its energy.
void against_losing(const RunTable& real, BarTable& bars);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/policies/run_table.h"

namespace framegov::sim {

/// mpc and PID phone by phone, beside the bounds and the stock governors.
void print_devices(const RunTable& strict, const RunTable& buffered);

/// Where mpc's energy above the bound goes, in parts of the bound (strict deadlines). `frames`: the
/// same scenes without what else ran, under mpc and powersave.
void print_gap(const RunTable& strict, const RunTable& frames);

/// How near the strict bound one comes without knowing each frame, and mpc beside it.
void print_known_works(const RunTable& strict, const RunTable& frames);

/// The stock governors with and without the kernel's memory of utilisation.
void print_stock(const Ground& ground);

/// What each part earns: the policy without it.
void print_ablations(const Ground& ground);

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/time.h"
#include "base/units.h"
#include "tests/support/phone_topology.h"

namespace framegov::test {

/// 60 Hz.
constexpr Duration kInterval = std::chrono::nanoseconds{16'666'667};
/// The big cluster of phone_topology().
constexpr std::size_t kBig = 2;

/// Work that takes `part` of an interval at the big core's top speed.
inline Work load(double part) { return work_in(to_seconds(kInterval) * part, Speed{2.8e9}); }

}  // namespace framegov::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/cpu_topology.h"
#include "base/frequency_plan.h"
#include "base/static_vector.h"
#include "base/units.h"
#include "policy/policy.h"

namespace framegov {

/// Within what one cluster is kept while frames are made. Zero: no limit. A ceiling beats a floor.
struct ClusterBound {
  Frequency ceiling;
  Frequency floor;
  constexpr bool operator==(const ClusterBound&) const = default;
};
using ClusterBounds = StaticVector<ClusterBound, kMaxClusters>;

/// Room for limits that are narrowed.
using NarrowedLimits = std::array<ClusterLimits, kMaxClusters>;

/// `limits` with no maximum above its ceiling, in `room`.
[[nodiscard]] std::span<const ClusterLimits> narrowed(std::span<const ClusterLimits> limits,
                                                      const ClusterBounds& bounds,
                                                      NarrowedLimits& room);

/// Keeps a plan and its steps between floors and ceilings, but only while frames are made: a plan
/// for a still screen or for frames that are not understood goes through as it is.
void hold(FrequencyPlan& plan, const ClusterBounds& bounds);

}  // namespace framegov

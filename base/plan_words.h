// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/frequency_plan.h"
#include "base/plan_numbers.h"

namespace framegov {

/// The reason's name in logs, recordings and on the control socket: "not-understood". Ends in a
/// zero.
[[nodiscard]] std::string_view to_string(ReasonCode reason);
/// The other way round; kNone for a name that is none.
[[nodiscard]] ReasonCode reason_named(std::string_view name);

/// The reason as a part of a sentence for people: "the screen is still: no floors, caps relaxed".
[[nodiscard]] std::string_view reason_words(ReasonCode reason);

/// What is asked of a cluster, for people: "1500 to 1800 MHz", "up to 900 MHz", "free".
[[nodiscard]] std::string limits_words(const ClusterPlan& limits);

/// `value`, in the unit of the number's key, for people: "1.3 ms", "1500 MHz".
[[nodiscard]] std::string number_words(const PlanNumber& number, double value);

}  // namespace framegov

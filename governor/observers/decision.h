// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/plan_words.h"
#include "base/time.h"
#include "policy/policy.h"

namespace framegov {

/// What made the service decide.
enum class DecisionCause : std::uint8_t {
  kFrameStart,
  kFrameEnd,
  kTimer,       ///< the policy's own
  kAppChanged,  ///< another app's frames
  kStep,        ///< a timed step of the plan
  kFailSafe,
};

/// One decision with all that explains it.
struct Decision {
  Instant at;
  DecisionCause cause{};
  AppId app{};
  const Frame* frame = nullptr;  ///< with kFrameEnd
  const FrequencyPlan* plan = nullptr;
};

/// What a policy's step was for.
[[nodiscard]] DecisionCause cause_of(PolicyEvent event);

[[nodiscard]] std::string_view to_string(DecisionCause cause);

/// Room for the longest decision line.
using DecisionLine = std::array<char, 1024>;

/// "decision cause=frame app=... policy0=CAP/FLOOR ...": one line of key=value words, written into
/// `line`. Format: docs/operations.md. Does not allocate.
[[nodiscard]] std::string_view format_decision(const Decision& decision,
                                               const CpuTopology& topology, DecisionLine& line);

}  // namespace framegov

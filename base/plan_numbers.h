// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/frame.h"
#include "base/frequency_plan.h"

namespace framegov {

/// A number that explains a decision: how the log, the control socket, recordings and explanations
/// name and show it.
struct PlanNumber {
  std::string_view key;       ///< in the log and in JSON, with its unit: "margin_ms"
  int decimals{};             ///< in the log
  std::string_view unit;      ///< for people: " ms"
  double per_key_unit = 1;    ///< so many of `unit`
  int shown_decimals{};       ///< for people
  std::string_view recorded;  ///< its name in recordings, which hold it exactly
};

namespace plan_numbers {
inline constexpr PlanNumber kGeneration{"generation_ms", 3, " ms", 1, 1, "generation_ns"};
inline constexpr PlanNumber kBudget{"budget_ms", 3, " ms", 1, 1, "budget_ns"};
inline constexpr PlanNumber kBlocked{"blocked_ms", 3, " ms", 1, 1, "blocked_ns"};
inline constexpr PlanNumber kLoad{"load_mcycles", 2, " Mcycles of work", 1, 2, "load_cycles"};
inline constexpr PlanNumber kMargin{"margin_ms", 3, " ms", 1, 1, "margin_ns"};
inline constexpr PlanNumber kError{"error", 4, "", 1, 2, "error"};
inline constexpr PlanNumber kWanted{"wanted_mhz",  0, " MHz of the fastest core", 1, 0,
                                    "wanted_speed"};
inline constexpr PlanNumber kChosen{"chosen_khz", 0, " MHz", 1e-3, 0, "chosen_khz"};
}  // namespace plan_numbers

// A value in the unit of its key.
[[nodiscard]] constexpr double in_key_unit(Duration value) { return to_ms(value); }
[[nodiscard]] constexpr double in_key_unit(Work value) { return value.count() / 1e6; }
[[nodiscard]] constexpr double in_key_unit(Speed value) { return value.count() / 1e6; }
[[nodiscard]] constexpr double in_key_unit(float value) { return static_cast<double>(value); }
[[nodiscard]] constexpr std::int64_t in_key_unit(Frequency value) { return value.count(); }

/// Calls `visit(number, member)` for each number of a plan.
template <class AnyReason, class Visitor>
constexpr void visit_numbers(AnyReason& reason, Visitor&& visit) {
  visit(plan_numbers::kGeneration, reason.generation);
  visit(plan_numbers::kBudget, reason.budget);
  visit(plan_numbers::kLoad, reason.load);
  visit(plan_numbers::kMargin, reason.margin);
  visit(plan_numbers::kError, reason.error);
  visit(plan_numbers::kWanted, reason.wanted);
  visit(plan_numbers::kChosen, reason.chosen);
}
inline constexpr std::size_t kPlanNumbers = 7;

/// Times of the frame that has ended. Zero: not known.
struct FrameTimes {
  Duration generation{};
  Duration budget{};
  Duration blocked{};
};
[[nodiscard]] constexpr FrameTimes times_of(const Frame& frame) {
  return {frame.generation_time(), frame.budget(), frame.blocked};
}
template <class Visitor>
constexpr void visit_numbers(const FrameTimes& times, Visitor&& visit) {
  visit(plan_numbers::kGeneration, times.generation);
  visit(plan_numbers::kBudget, times.budget);
  visit(plan_numbers::kBlocked, times.blocked);
}

/// Does a policy's reason, or a frame, say it? Only such a number is ever shown.
template <class T>
[[nodiscard]] constexpr bool is_said(const FrameTimes& /*times*/, const PlanNumber& /*number*/,
                                     T value) {
  return value > T{};
}
template <class T>
[[nodiscard]] constexpr bool is_said(const PlanReason& reason, const PlanNumber& number, T value) {
  if (number.key == plan_numbers::kMargin.key) {
    return reason.budget > Duration{};  // may be zero, or less
  }
  return number.key == plan_numbers::kError.key ? value != T{} : value > T{};
}

/// Calls `visit(number, value)` for what `said` (a PlanReason or FrameTimes) says, in the unit of
/// the key.
template <class Said, class Visitor>
void visit_said(const Said& said, Visitor&& visit) {
  visit_numbers(said, [&](const PlanNumber& number, const auto& value) {
    if (is_said(said, number, value)) {
      visit(number, in_key_unit(value));
    }
  });
}

/// The same without the times of the frame that the plan was made after.
template <class Visitor>
void visit_demand(const PlanReason& reason, Visitor&& visit) {
  visit_said(reason, [&](const PlanNumber& number, auto value) {
    if (number.key != plan_numbers::kGeneration.key && number.key != plan_numbers::kBudget.key) {
      visit(number, value);
    }
  });
}

}  // namespace framegov

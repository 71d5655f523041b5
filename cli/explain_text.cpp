// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_text.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/plan_words.h"
#include "cli/json_read.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

constexpr double kKhzPerMhz = 1000;

std::string ms(double value) { return formatted("%.1f ms", value); }
std::string mhz_text(double khz) { return formatted("%.0f", khz / kKhzPerMhz); }

std::string frame_text(const Json& decision) {
  const double generation = number_in(decision, "generation_ms");
  const double budget = number_in(decision, "budget_ms");
  if (budget <= 0) {
    return "A frame ended";
  }
  const double slack = budget - generation;
  return "The frame took " + ms(generation) + " of " + ms(budget) +
         (slack >= 0 ? " (" + ms(slack) + " to spare)" : " (" + ms(-slack) + " late)");
}

/// What happened.
std::string cause_text(const Json& decision) {
  const std::string cause = text_in(decision, "cause");
  if (cause == "frame") {
    return frame_text(decision);
  }
  if (cause == "start") {
    return "A frame began";
  }
  if (cause == "step") {
    return "The frame ran long";
  }
  if (cause == "app") {
    return "Another app's frames began";
  }
  if (cause == "timer") {
    return "No frame came for a while";
  }
  if (cause == "failsafe") {
    return text_in(decision, "reason") == "still" ? "Frames stopped" : "The fail-safe acted";
  }
  return "Something happened (" + cause + ")";
}

/// "up to 11.30 Mcycles of work are expected, which need 1420 MHz of the fastest core with 1.3 ms
/// kept free, so 1500 MHz on policy4"
std::string demand_text(const Json& decision) {
  const double chosen = number_in(decision, "chosen_khz");
  if (chosen <= 0) {
    return {};
  }
  const double load = number_in(decision, "load_mcycles");
  std::string text =
      load > 0 ? "up to " + formatted("%.2f", load) + " Mcycles of work are expected, which need "
               : "it needs ";
  text += formatted("%.0f", number_in(decision, "wanted_mhz")) + " MHz of the fastest core with " +
          ms(number_in(decision, "margin_ms")) + " kept free, so " + mhz_text(chosen) + " MHz";
  if (decision.contains("frame_policy")) {
    text += " on policy" + formatted("%.0f", number_in(decision, "frame_policy"));
  }
  return text;
}

/// What it led to.
std::string reason_text(const Json& decision) {
  const ReasonCode reason = reason_named(text_in(decision, "reason"));
  const std::string words(reason_words(reason));
  const std::string demand = demand_text(decision);
  if (demand.empty()) {
    return words;
  }
  switch (reason) {
    case ReasonCode::kTracking:
      return demand;
    case ReasonCode::kRescue:
    case ReasonCode::kScheduled:
      return words + ": " + demand;
    default:
      return words;
  }
}

Frequency frequency_in(const Json& object, const char* key) {
  constexpr double kHighestKhz = 1e9;
  return Frequency{static_cast<std::int64_t>(std::clamp(number_in(object, key), 0.0, kHighestKhz))};
}

}  // namespace

std::string limits_text(const Json& clusters) {
  std::string text;
  for (const Json& cluster : clusters) {
    text += text.empty() ? "policy" : ", policy";
    text += formatted("%.0f ", number_in(cluster, "policy")) +
            limits_words({frequency_in(cluster, "cap_khz"), frequency_in(cluster, "floor_khz")});
  }
  return text;
}

std::string sentence(const Json& decision) {
  std::string text = cause_text(decision) + "; " + reason_text(decision) + ".";
  const std::string limits = limits_text(at(decision, "clusters"));
  return limits.empty() ? text : text + " Limits: " + limits + ".";
}

}  // namespace framegov::cli

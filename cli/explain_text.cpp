// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/plan_numbers.h"
#include "base/plan_words.h"
#include "cli/json_read.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

/// A number of the decision, in the unit of its key; nothing where it does not say it.
std::optional<double> said(const Json& decision, const PlanNumber& number) {
  const auto found = decision.find(number.key);
  return found != decision.end() && found->is_number() ? std::optional(found->get<double>())
                                                       : std::nullopt;
}

std::string frame_text(const Json& decision) {
  const auto generation = said(decision, plan_numbers::kGeneration);
  const auto budget = said(decision, plan_numbers::kBudget);
  if (!generation) {
    return "A frame ended";
  }
  std::string text = "The frame took " + number_words(plan_numbers::kGeneration, *generation);
  if (budget) {
    const double slack = *budget - *generation;
    text += " of " + number_words(plan_numbers::kBudget, *budget) + " (" +
            number_words(plan_numbers::kBudget, std::abs(slack)) +
            (slack >= 0 ? " to spare)" : " late)");
  }
  return text;
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
    // The policy's own timer: for frames that stopped, or for one that is not done yet.
    return text_in(decision, "reason") == "still" ? "No frame came for a while"
                                                  : "The frame is not done yet";
  }
  if (cause == "failsafe") {
    return text_in(decision, "reason") == "still" ? "Frames stopped" : "The fail-safe acted";
  }
  return "Something happened (" + cause + ")";
}

/// "up to 11.30 Mcycles of work are expected, which need 1420 MHz of the fastest core with 1.3 ms
/// kept free, so 1500 MHz on policy4"
std::string demand_text(const Json& decision) {
  const auto load = said(decision, plan_numbers::kLoad);
  const auto wanted = said(decision, plan_numbers::kWanted);
  const auto margin = said(decision, plan_numbers::kMargin);
  const auto chosen = said(decision, plan_numbers::kChosen);
  if (!chosen || !wanted) {
    return {};
  }
  std::string text =
      load ? "up to " + number_words(plan_numbers::kLoad, *load) + " are expected, which need "
           : "it needs ";
  text += number_words(plan_numbers::kWanted, *wanted);
  if (margin) {
    text += " with " + number_words(plan_numbers::kMargin, *margin) + " kept free";
  }
  text += ", so " + number_words(plan_numbers::kChosen, *chosen);
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

std::string limit_in(const Json& cluster, const OwnerTexts& texts) {
  const auto mhz = [&cluster](const char* key) {
    return formatted("%.0f", number_in(cluster, key) / 1000);
  };
  const bool cap = number_in(cluster, "cap_khz") > 0;
  const bool floor = number_in(cluster, "floor_khz") > 0;
  return texts.text(cap && floor ? "limitBetween"
                    : cap        ? "limitUpTo"
                    : floor      ? "limitFrom"
                                 : "limitFree",
                    {{"cores", "policy" + formatted("%.0f", number_in(cluster, "policy"))},
                     {"cap", mhz("cap_khz")},
                     {"floor", mhz("floor_khz")}});
}

}  // namespace

std::string sentence(const Json& decision, const OwnerTexts& texts) {
  if (texts.is_english()) {
    return sentence(decision);
  }
  const auto number = [&decision](const PlanNumber& which, const char* format) {
    const auto value = said(decision, which);
    return value ? formatted(format, *value) : std::string("?");
  };
  std::string cause = "cause_" + text_in(decision, "cause");
  if (text_in(decision, "reason") == "still" && texts.has(cause + "_still")) {
    cause += "_still";
  }
  std::string text =
      texts.text("decisionSaid",
                 {{"cause", texts.text(cause, {{"ms", number(plan_numbers::kGeneration, "%.1f")},
                                               {"budget", number(plan_numbers::kBudget, "%.1f")}})},
                  {"reason", texts.text("reason_" + text_in(decision, "reason"))}});
  const std::string gap = texts.text("gap");
  const auto chosen = said(decision, plan_numbers::kChosen);
  if (said(decision, plan_numbers::kWanted) && chosen) {
    text += gap + texts.text("needs", {{"wanted", number(plan_numbers::kWanted, "%.0f")},
                                       {"chosen", formatted("%.0f", *chosen / 1000)}});
  }
  const std::string limits = limits_text(at(decision, "clusters"), texts);
  return limits.empty() ? text : text + gap + texts.text("limitsSaid", {{"limits", limits}});
}

std::string limits_text(const Json& clusters, const OwnerTexts& texts) {
  std::string text;
  if (!texts.is_english()) {
    for (const Json& cluster : clusters) {
      text += (text.empty() ? "" : ", ") + limit_in(cluster, texts);
    }
    return text;
  }
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

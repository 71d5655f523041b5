// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_text.h"

#include <nlohmann/json.hpp>

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

/// " needs 1420 MHz (cycles of the fastest core) after 1.3 ms kept free: 1500 MHz on policy4"
std::string demand_text(const Json& decision) {
  const double chosen = number_in(decision, "chosen_khz");
  if (chosen <= 0) {
    return {};
  }
  std::string text = "it needs " + formatted("%.0f", number_in(decision, "wanted_mhz")) +
                     " MHz of the fastest core with " + ms(number_in(decision, "margin_ms")) +
                     " kept free, so " + mhz_text(chosen) + " MHz";
  if (decision.contains("frame_policy")) {
    text += " on policy" + formatted("%.0f", number_in(decision, "frame_policy"));
  }
  return text;
}

/// What it led to.
std::string reason_text(const Json& decision) {
  const std::string reason = text_in(decision, "reason");
  const std::string demand = demand_text(decision);
  const auto with_demand = [&demand](const std::string& text) {
    return demand.empty() ? text : text + ": " + demand;
  };
  if (reason == "tracking") {
    return demand.empty() ? "the frames' slack is followed" : demand;
  }
  if (reason == "rescue") {
    return with_demand("late, so raised at once");
  }
  if (reason == "scheduled") {
    return with_demand("speeds step up within the frame");
  }
  if (reason == "starting") {
    return "too few frames are known yet to cap anything";
  }
  if (reason == "still") {
    return "the screen is still: no floors, caps relaxed";
  }
  if (reason == "not-understood") {
    return "frames are not understood: uncapped until they are";
  }
  if (reason == "disabled") {
    return "this app is switched off, or its frames are not seen where its profile asks: left "
           "alone";
  }
  if (reason == "fixed") {
    return "the policy is a fixed one";
  }
  return "no reason given";
}

}  // namespace

std::string limits_text(const Json& clusters) {
  std::string text;
  for (const Json& cluster : clusters) {
    const double cap = number_in(cluster, "cap_khz");
    const double floor = number_in(cluster, "floor_khz");
    text += text.empty() ? "policy" : ", policy";
    text += formatted("%.0f ", number_in(cluster, "policy"));
    if (cap > 0 && floor > 0) {
      text += mhz_text(floor) + " to " + mhz_text(cap) + " MHz";
    } else if (cap > 0) {
      text += "up to " + mhz_text(cap) + " MHz";
    } else {
      text += floor > 0 ? "from " + mhz_text(floor) + " MHz" : "free";
    }
  }
  return text;
}

std::string sentence(const Json& decision) {
  std::string text = cause_text(decision) + "; " + reason_text(decision) + ".";
  const std::string limits = limits_text(at(decision, "clusters"));
  return limits.empty() ? text : text + " Limits: " + limits + ".";
}

}  // namespace framegov::cli

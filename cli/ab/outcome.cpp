// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/outcome.h"
#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace framegov::embedded {
extern const std::string_view kAbPageHtml;
}

namespace framegov::ab {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kMinutesPerHour = 60;
/// Differences that are asked for when the run could not tell.
constexpr std::array<double, 3> kPercents = {2, 5, 10};

std::string rounded(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string duration(double minutes) {
  if (!std::isfinite(minutes)) {
    return "unknown";
  }
  return minutes < 2 * kMinutesPerHour ? rounded(std::ceil(minutes), 0) + " minutes"
                                       : rounded(minutes / kMinutesPerHour, 1) + " hours";
}

const char* verdict(const Measure& measure) {
  if (!measure.test.significant()) {
    return "cannot-tell";
  }
  return measure.test.mean < 0 ? "less" : "more";
}

/// "current_now stayed at 0 for the whole run, charge_counter at 2500000": as the nodes show it.
std::string stood_still(const GaugeTraits& gauge) {
  constexpr double kMicroFromMilli = 1e3;
  constexpr const char* kLong = " for the whole run, ";
  const std::string charge =
      gauge.last_charge_mah ? rounded(*gauge.last_charge_mah * kMicroFromMilli, 0) : "";
  if (!gauge.last_current) {
    return "charge_counter stayed at " + charge + kLong + "and there is no current_now";
  }
  return "current_now stayed at " + rounded(*gauge.last_current, 0) + kLong +
         (charge.empty() ? "and there is no charge_counter" : "charge_counter at " + charge);
}

std::string power_sentence(const Comparison& comparison) {
  const Measure& power = comparison.power_mw;
  // With no pair left off the charger there was nothing to see of the gauge.
  if (!comparison.tells_power() && comparison.miss_percent.test.pairs > 0) {
    return "The gauge did not move: " + stood_still(comparison.gauge) +
           ". The power cannot be compared on this phone.";
  }
  const std::string size = rounded(std::abs(power.percent()), 1) + " % (95 % interval " +
                           rounded(power.percent() - power.percent_half_width(), 1) + " to " +
                           rounded(power.percent() + power.percent_half_width(), 1) + " %)";
  if (power.test.significant()) {
    return "With framegov the phone took " + size + (power.test.mean < 0 ? " less" : " more") +
           " power than without: " + rounded(power.framegov, 0) + " instead of " +
           rounded(power.stock, 0) + " mW.";
  }
  if (power.test.pairs < kFewestPairs) {
    return "Too few pairs of windows for a result: " + std::to_string(power.test.pairs) +
           " of at least " + std::to_string(kFewestPairs) + ".";
  }
  return "No difference in power was found: " + rounded(power.percent(), 1) +
         " % was seen, which lies within the noise of +-" + rounded(power.percent_half_width(), 1) +
         " %.";
}

std::string miss_sentence(const Measure& misses) {
  const std::string rates = rounded(misses.framegov, 2) +
                            " % of the frames missed with framegov, " + rounded(misses.stock, 2) +
                            " % without";
  return rates + (misses.test.significant() ? "." : ": no difference was found.");
}

/// What to do about windows that are too short for the gauge.
std::string longer_window(const Comparison& comparison) {
  constexpr double kLongestWindow = 3600;  // of --window
  constexpr double kSecondsPerMinute = 60;
  const std::string why = " Too short: the gauge has a new figure only every " +
                          rounded(to_seconds(comparison.gauge.interval), 0) + " s, so " +
                          rounded(to_seconds(comparison.settle), 0) +
                          " s of each window are left out";
  // As much again as is left out would do; twice as much makes better use of the time.
  const double window = std::ceil(3 * to_seconds(comparison.settle));
  if (window > kLongestWindow) {
    return why + ", and no --window is long enough for that.";
  }
  const double minutes =
      std::ceil(2 * static_cast<double>(kFewestPairs) * window / kSecondsPerMinute);
  return why + "; take a longer --window, such as " + rounded(window, 0) +
         ", and at least --minutes " + rounded(minutes, 0) + ".";
}

/// Empty when no pair was left out.
std::string left_out_sentence(const Comparison& comparison) {
  std::map<std::string, std::size_t> reasons;
  std::size_t count = 0;
  for (const Pair& pair : comparison.pairs) {
    if (!pair.spoiled.empty()) {
      ++reasons[pair.spoiled];
      ++count;
    }
  }
  if (count == 0) {
    return "";
  }
  std::string line = std::to_string(count) + " of " + std::to_string(comparison.pairs.size()) +
                     " pairs were left out";
  const char* separator = ": ";
  for (const auto& [reason, times] : reasons) {
    line += separator + std::to_string(times) + " " + reason;
    separator = ", ";
  }
  return line + "." + (reasons.contains(kTooShort) ? longer_window(comparison) : "");
}

std::string settling_sentence(const Comparison& comparison) {
  std::string line = "The first " + rounded(to_seconds(comparison.settle), 0) +
                     " s after each switch were left out";
  if (comparison.gauge.interval > Duration::zero()) {
    line += "; the fuel gauge has a new figure every " +
            rounded(to_seconds(comparison.gauge.interval), 0) + " s";
  }
  return line + ".";
}

/// The name of the node in the kernel's folder; null: none of them moved.
const char* node_name(GaugeNode node) {
  switch (node) {
    case GaugeNode::kCurrent:
      return "current_now";
    case GaugeNode::kCharge:
      return "charge_counter";
    case GaugeNode::kNone:
      break;
  }
  return nullptr;
}

OrderedJson json_of(const Measure& measure) {
  OrderedJson object = {{"verdict", verdict(measure)},  {"stock", measure.stock},
                        {"framegov", measure.framegov}, {"difference", measure.test.mean},
                        {"percent", measure.percent()}, {"pairs", measure.test.pairs},
                        {"p", measure.test.p}};
  // JSON has no infinity: with fewer than two pairs there is no interval.
  object["plus_minus"] =
      std::isfinite(measure.test.half_width) ? OrderedJson(measure.test.half_width) : OrderedJson();
  object["percent_plus_minus"] = std::isfinite(measure.test.half_width)
                                     ? OrderedJson(measure.percent_half_width())
                                     : OrderedJson();
  return object;
}

OrderedJson json_of(const Pair& pair, bool tells_power) {
  if (!pair.spoiled.empty()) {
    return {{"spoiled", pair.spoiled}};
  }
  OrderedJson object = OrderedJson::object();
  if (tells_power) {
    object["stock_mw"] = pair.stock.power_mw;
    object["framegov_mw"] = pair.framegov.power_mw;
  } else {
    // Whoever draws the pairs passes over this one; its misses count all the same.
    object["spoiled"] = "the gauge did not move";
  }
  object["stock_miss_percent"] = pair.stock.miss_percent;
  object["framegov_miss_percent"] = pair.framegov.miss_percent;
  return object;
}

OrderedJson json_of(const Outcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  OrderedJson object = {{"app", outcome.app},
                        {"engine", outcome.engine},
                        {"seed", outcome.seed},
                        {"power_mw", json_of(comparison.power_mw)},
                        {"miss_percent", json_of(comparison.miss_percent)},
                        {"settle_s", to_seconds(comparison.settle)},
                        {"gauge_interval_s", to_seconds(comparison.gauge.interval)}};
  const char* node = node_name(comparison.gauge.node);
  object["gauge_node"] = node != nullptr ? OrderedJson(node) : OrderedJson();
  object["minutes_to_find"] = OrderedJson::array();
  for (const double percent : kPercents) {
    const double minutes = comparison.minutes_to_find(percent);
    object["minutes_to_find"].push_back(
        {{"percent", percent},
         {"minutes", std::isfinite(minutes) ? OrderedJson(minutes) : OrderedJson()}});
  }
  object["pairs"] = OrderedJson::array();
  for (const Pair& pair : comparison.pairs) {
    object["pairs"].push_back(json_of(pair, comparison.tells_power()));
  }
  object["sentences"] = sentences(outcome);
  return object;
}

}  // namespace

std::vector<std::string> sentences(const Outcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::vector<std::string> told = {power_sentence(comparison),
                                   miss_sentence(comparison.miss_percent)};
  if (!outcome.engine.empty()) {
    told.push_back(outcome.engine + " was on in the windows without framegov, and off with it.");
  }
  if (comparison.gauge.node == GaugeNode::kCharge && comparison.gauge.last_current) {
    told.push_back("The power was worked out from charge_counter: current_now stayed at " +
                   rounded(*comparison.gauge.last_current, 0) + ".");
  }
  if (!comparison.power_mw.test.significant() && comparison.power_mw.test.pairs >= 2) {
    std::string line = "By how much this run varied, it would take";
    for (const double percent : kPercents) {
      line += (percent == kPercents.front() ? " " : ", ") +
              duration(comparison.minutes_to_find(percent)) + " for a difference of " +
              rounded(percent, 0) + " %";
    }
    told.push_back(line + ".");
  }
  if (std::string line = left_out_sentence(comparison); !line.empty()) {
    told.push_back(std::move(line));
  }
  told.push_back(settling_sentence(comparison));
  return told;
}

std::string to_json(const Outcome& outcome) { return json_text(json_of(outcome)); }

std::string to_page(const Outcome& outcome) {
  constexpr std::string_view kMark = "/*RESULT*/null";
  std::string json = json_line(json_of(outcome));
  // Nothing in the data may end the script element.
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  std::string page(embedded::kAbPageHtml);
  return page.replace(page.find(kMark), kMark.size(), json);
}

}  // namespace framegov::ab

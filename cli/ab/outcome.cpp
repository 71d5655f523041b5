// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/outcome.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

namespace framegov::embedded {
extern const std::string_view ab_page_html;
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

std::string power_sentence(const Measure& power) {
  const std::string size = rounded(std::abs(power.percent()), 1) + " % (95 % interval " +
                           rounded(power.percent() - power.percent_half_width(), 1) + " to " +
                           rounded(power.percent() + power.percent_half_width(), 1) + " %)";
  if (power.test.significant()) {
    return "With framegov the phone took " + size + (power.test.mean < 0 ? " less" : " more") +
           " power than without: " + rounded(power.framegov, 0) + " instead of " +
           rounded(power.stock, 0) + " mW.";
  }
  if (power.test.pairs < kFewestPairs) {
    return "Too few pairs of windows to tell anything: " + std::to_string(power.test.pairs) +
           " of at least " + std::to_string(kFewestPairs) + ".";
  }
  return "No difference in power can be told: " + rounded(power.percent(), 1) +
         " % was seen, which lies within the noise of +-" + rounded(power.percent_half_width(), 1) +
         " %.";
}

std::string miss_sentence(const Measure& misses) {
  const std::string rates = rounded(misses.framegov, 2) +
                            " % of the frames missed with framegov, " + rounded(misses.stock, 2) +
                            " % without";
  return rates + (misses.test.significant() ? "." : ": no difference can be told.");
}

std::size_t spoiled(const Comparison& comparison) {
  return static_cast<std::size_t>(std::count_if(comparison.pairs.begin(), comparison.pairs.end(),
                                                [](const Pair& p) { return !p.spoiled.empty(); }));
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

OrderedJson json_of(const Outcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  OrderedJson object = {{"app", outcome.app},
                        {"seed", outcome.seed},
                        {"power_mw", json_of(comparison.power_mw)},
                        {"miss_percent", json_of(comparison.miss_percent)},
                        {"settle_s", to_seconds(comparison.settle)},
                        {"gauge_interval_s", to_seconds(comparison.gauge_interval)}};
  object["minutes_to_find"] = OrderedJson::array();
  for (const double percent : kPercents) {
    const double minutes = comparison.minutes_to_find(percent);
    object["minutes_to_find"].push_back(
        {{"percent", percent},
         {"minutes", std::isfinite(minutes) ? OrderedJson(minutes) : OrderedJson()}});
  }
  object["pairs"] = OrderedJson::array();
  for (const Pair& pair : comparison.pairs) {
    if (!pair.spoiled.empty()) {
      object["pairs"].push_back({{"spoiled", pair.spoiled}});
      continue;
    }
    object["pairs"].push_back({{"stock_mw", pair.stock.power_mw},
                               {"framegov_mw", pair.framegov.power_mw},
                               {"stock_miss_percent", pair.stock.miss_percent},
                               {"framegov_miss_percent", pair.framegov.miss_percent}});
  }
  object["sentences"] = sentences(outcome);
  return object;
}

std::string dumped(const OrderedJson& json, int indent) {
  return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace

std::vector<std::string> sentences(const Outcome& outcome) {
  const Comparison& comparison = outcome.comparison;
  std::vector<std::string> told = {power_sentence(comparison.power_mw),
                                   miss_sentence(comparison.miss_percent)};
  if (!comparison.power_mw.test.significant() && comparison.power_mw.test.pairs >= 2) {
    std::string line = "By how much this run varied, it would take";
    for (const double percent : kPercents) {
      line += (percent == kPercents.front() ? " " : ", ") +
              duration(comparison.minutes_to_find(percent)) + " for a difference of " +
              rounded(percent, 0) + " %";
    }
    told.push_back(line + ".");
  }
  if (const std::size_t count = spoiled(comparison); count > 0) {
    told.push_back(std::to_string(count) + " of " + std::to_string(comparison.pairs.size()) +
                   " pairs were left out (charger, another app, no frames).");
  }
  told.push_back("The first " + rounded(to_seconds(comparison.settle), 0) +
                 " s after each switch were left out; the fuel gauge has a new figure every " +
                 rounded(to_seconds(comparison.gauge_interval), 0) + " s.");
  return told;
}

std::string to_json(const Outcome& outcome) { return dumped(json_of(outcome), 2); }

std::string to_page(const Outcome& outcome) {
  constexpr std::string_view kMark = "/*RESULT*/null";
  std::string json = dumped(json_of(outcome), -1);
  // Nothing in the data may end the script element.
  for (std::size_t at = json.find('<'); at != std::string::npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  std::string page(embedded::ab_page_html);
  return page.replace(page.find(kMark), kMark.size(), json);
}

}  // namespace framegov::ab

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

/// Differences that are asked for when the run could not tell.
constexpr std::array<double, 3> kPercents = {2, 5, 10};

const char* verdict(const Measure& measure) {
  if (!measure.test.significant()) {
    return "cannot-tell";
  }
  return measure.test.mean < 0 ? "less" : "more";
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

const char* verdict_name(ForecastVerdict verdict) {
  switch (verdict) {
    case ForecastVerdict::kHeld:
      return "held";
    case ForecastVerdict::kMore:
      return "more";
    case ForecastVerdict::kLess:
      return "less";
    case ForecastVerdict::kUnknown:
      break;
  }
  return "cannot-tell";
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
    object["spoiled"] = kGaugeStill;
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
  if (comparison.gauge.last_current) {
    object["last_current"] = *comparison.gauge.last_current;
  }
  if (comparison.gauge.last_charge_mah) {
    object["last_charge_mah"] = *comparison.gauge.last_charge_mah;
  }
  object["forecast"] =
      outcome.expected ? to_json(*outcome.expected, comparison.power_mw) : OrderedJson();
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
  return object;
}

/// `json` where `mark` stands in the page's script.
void put_in_place_of(std::string& page, std::string_view mark, const OrderedJson& json) {
  std::string text = json_line(json);
  // Nothing in the data may end the script element.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  page.replace(page.find(mark), mark.size(), text);
}

}  // namespace

OrderedJson to_json(const Outcome& outcome) { return json_of(outcome); }

OrderedJson to_json(const Expectation& expected, const Measure& power_mw) {
  const Forecast& forecast = expected.forecast;
  OrderedJson object = {{"recording", expected.recording},
                        {"seconds", forecast.seconds},
                        {"device", expected.device},
                        {"stock", expected.stock},
                        {"stock_mw", forecast.stock},
                        {"framegov_mw", forecast.framegov},
                        {"difference_mw", forecast.difference()},
                        {"plus_minus_mw", forecast.half_width},
                        {"stock_late_percent", forecast.stock_late_percent},
                        {"framegov_late_percent", forecast.framegov_late_percent}};
  object["verdict"] = power_mw.test.pairs > 0 ? OrderedJson(verdict_name(judge(forecast, power_mw)))
                                              : OrderedJson();
  return object;
}

std::string to_page(const OrderedJson& result, const OrderedJson& words) {
  std::string page(embedded::kAbPageHtml);
  put_in_place_of(page, "/*WORDS*/null", words);
  put_in_place_of(page, "/*RESULT*/null", result);  // last: only it holds others' words
  return page;
}

}  // namespace framegov::ab

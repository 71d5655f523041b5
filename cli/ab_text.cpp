// SPDX-License-Identifier: Apache-2.0
#include "cli/ab_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/ab/outcome.h"
#include "cli/ab/paired_test.h"
#include "cli/ab/window.h"
#include "cli/json_read.h"

namespace framegov::cli {

namespace {

using Json = nlohmann::json;

std::string rounded(double value, int digits = 0) {
  return digits == 0   ? formatted("%.0f", value)
         : digits == 1 ? formatted("%.1f", value)
                       : formatted("%.2f", value);
}

bool is_told_apart(const Json& measure) {
  const std::string verdict = text_in(measure, "verdict");
  return verdict == "less" || verdict == "more";
}

/// What the gauge's nodes showed all the while, as they show it.
std::string stood_still(const Json& result, const OwnerTexts& texts) {
  constexpr double kMicroFromMilli = 1e3;
  const bool current = result.contains("last_current");
  const bool charge = result.contains("last_charge_mah");
  return texts.text(
      !current ? "cli_abStillCharge"
      : charge ? "cli_abStillBoth"
               : "cli_abStillCurrent",
      {{"current", rounded(number_in(result, "last_current"))},
       {"charge",
        charge ? rounded(number_in(result, "last_charge_mah") * kMicroFromMilli) : std::string()}});
}

std::string power_sentence(const Json& result, const OwnerTexts& texts) {
  const Json& power = at(result, "power_mw");
  // With no pair left off the charger there was nothing to see of the gauge.
  if (at(result, "gauge_node").is_null() && number_in(at(result, "miss_percent"), "pairs") > 0) {
    return texts.text("cli_abStill", {{"how", stood_still(result, texts)}});
  }
  const double percent = number_in(power, "percent");
  const double noise = number_in(power, "percent_plus_minus");
  if (is_told_apart(power)) {
    // As sizes: "8.8 % (95 % interval 6.0 to 11.5 %) less".
    return texts.text(text_in(power, "verdict") == "less" ? "cli_abLess" : "cli_abMore",
                      {{"percent", rounded(std::abs(percent), 1)},
                       {"low", rounded(std::abs(percent) - noise, 1)},
                       {"high", rounded(std::abs(percent) + noise, 1)},
                       {"framegov", rounded(number_in(power, "framegov"))},
                       {"stock", rounded(number_in(power, "stock"))}});
  }
  const double pairs = number_in(power, "pairs");
  if (pairs < static_cast<double>(ab::kFewestPairs)) {
    return texts.text("cli_abFew",
                      {{"pairs", rounded(pairs)}, {"least", std::to_string(ab::kFewestPairs)}});
  }
  return texts.text("cli_abNone", {{"percent", rounded(percent, 1)}, {"noise", rounded(noise, 1)}});
}

/// "43 mW more": of framegov than without it.
std::string difference_text(double mw, const OwnerTexts& texts) {
  return texts.text(mw < 0 ? "cli_abMwLess" : "cli_abMwMore", {{"mw", rounded(std::abs(mw))}});
}

/// The same of both ends of an interval.
std::string interval_text(double mw, double half_width, const OwnerTexts& texts) {
  return texts.text("cli_abFromTo", {{"low", difference_text(mw - half_width, texts)},
                                     {"high", difference_text(mw + half_width, texts)}});
}

/// What became of the forecast; empty where there was none.
std::string forecast_sentence(const Json& result, const OwnerTexts& texts) {
  const Json& forecast = at(result, "forecast");
  if (!forecast.is_object()) {
    return {};
  }
  const Json& power = at(result, "power_mw");
  const std::string verdict = text_in(forecast, "verdict");
  const double expected = number_in(forecast, "difference_mw");
  const double measured = number_in(power, "difference");
  return texts.text(
      verdict == "held"                        ? "cli_abForecastHeld"
      : verdict == "more" || verdict == "less" ? "cli_abForecastWrong"
                                               : "cli_abForecastUnknown",
      {{"expected", difference_text(expected, texts)},
       {"expected_range", interval_text(expected, number_in(forecast, "plus_minus_mw"), texts)},
       {"measured", difference_text(measured, texts)},
       {"measured_range", interval_text(measured, number_in(power, "plus_minus"), texts)}});
}

std::string late_sentence(const Json& misses, const OwnerTexts& texts) {
  return texts.text(is_told_apart(misses) ? "cli_abLate" : "cli_abLateNone",
                    {{"framegov", rounded(number_in(misses, "framegov"), 2)},
                     {"stock", rounded(number_in(misses, "stock"), 2)}});
}

std::string duration(const Json& minutes, const OwnerTexts& texts) {
  constexpr double kMinutesPerHour = 60;
  if (!minutes.is_number()) {
    return texts.text("cli_abUnknown");
  }
  const double value = minutes.get<double>();
  return value < 2 * kMinutesPerHour
             ? texts.text("cli_abMinutes", {{"count", rounded(std::ceil(value))}})
             : texts.text("cli_abHours", {{"count", rounded(value / kMinutesPerHour, 1)}});
}

/// How long it would take to find differences; empty where the run found one, or was too short.
std::string would_take_sentence(const Json& result, const OwnerTexts& texts) {
  const Json& power = at(result, "power_mw");
  if (is_told_apart(power) || number_in(power, "pairs") < 2) {
    return {};
  }
  std::string list;
  for (const Json& each : at(result, "minutes_to_find")) {
    list += (list.empty() ? "" : ", ") +
            texts.text("cli_abTimeFor", {{"time", duration(at(each, "minutes"), texts)},
                                         {"percent", rounded(number_in(each, "percent"))}});
  }
  return texts.text("cli_abWouldTake", {{"list", list}});
}

/// What to do about windows that are too short for the gauge.
std::string longer_window(const Json& result, const OwnerTexts& texts) {
  constexpr double kLongestWindow = 3600;  // of --window
  constexpr double kSecondsPerMinute = 60;
  const double settle = number_in(result, "settle_s");
  // As much again as is left out would do; twice as much makes better use of the time.
  const double window = std::ceil(3 * settle);
  const double minutes =
      std::ceil(2 * static_cast<double>(ab::kFewestPairs) * window / kSecondsPerMinute);
  return texts.text(window > kLongestWindow ? "cli_abNoWindow" : "cli_abTooShort",
                    {{"interval", rounded(number_in(result, "gauge_interval_s"))},
                     {"settle", rounded(settle)},
                     {"window", rounded(window)},
                     {"minutes", rounded(minutes)}});
}

/// Why a pair was left out, in an owner's language.
std::string spoiled_words(const std::string& why, const OwnerTexts& texts) {
  std::string key = "cli_abOut_" + why;
  std::replace(key.begin(), key.end(), ' ', '-');
  return texts.has(key) ? texts.text(key) : why;
}

/// Empty when no pair was left out.
std::string left_out_sentence(const Json& result, const OwnerTexts& texts) {
  std::map<std::string, std::size_t> reasons;
  std::size_t count = 0;
  for (const Json& pair : at(result, "pairs")) {
    if (const std::string why = text_in(pair, "spoiled"); !why.empty() && why != ab::kGaugeStill) {
      ++reasons[why];
      ++count;
    }
  }
  if (count == 0) {
    return {};
  }
  std::string list;
  for (const auto& [why, times] : reasons) {
    list += (list.empty() ? "" : ", ") + std::to_string(times) + " " + spoiled_words(why, texts);
  }
  const std::string line =
      texts.text("cli_abLeftOut", {{"count", std::to_string(count)},
                                   {"pairs", std::to_string(at(result, "pairs").size())},
                                   {"reasons", list}});
  return reasons.contains(ab::kTooShort) ? line + texts.text("gap") + longer_window(result, texts)
                                         : line;
}

}  // namespace

std::vector<std::string> ab_sentences(const Json& result, const OwnerTexts& texts) {
  std::vector<std::string> told = {power_sentence(result, texts),
                                   late_sentence(at(result, "miss_percent"), texts)};
  const auto add = [&told](std::string sentence) {
    if (!sentence.empty()) {
      told.push_back(std::move(sentence));
    }
  };
  add(forecast_sentence(result, texts));
  if (const std::string engine = text_in(result, "engine"); !engine.empty()) {
    add(texts.text("cli_abEngine", {{"engine", engine}}));
  }
  if (text_in(result, "gauge_node") == "charge_counter" && result.contains("last_current")) {
    add(texts.text("cli_abFromCharge", {{"current", rounded(number_in(result, "last_current"))}}));
  }
  add(would_take_sentence(result, texts));
  add(left_out_sentence(result, texts));
  const double interval = number_in(result, "gauge_interval_s");
  add(texts.text(
      interval > 0 ? "cli_abSettlingGauge" : "cli_abSettling",
      {{"settle", rounded(number_in(result, "settle_s"))}, {"interval", rounded(interval)}}));
  return told;
}

nlohmann::ordered_json ab_page_words(const OwnerTexts& texts) {
  return {
      {"language", texts.language()},           {"title", texts.text("cli_abPageTitle")},
      {"means", texts.text("cli_abPageMeans")}, {"pairs", texts.text("cli_abPagePairs")},
      {"stock", texts.text("cli_abStock")},     {"difference", texts.text("cli_abPageDifference")},
      {"power", texts.text("cli_abPagePower")}, {"missed", texts.text("cli_abPageMissed")},
      {"chart", texts.text("cli_abPageChart")}};
}

std::string ab_forecast_text(const Json& forecast, const OwnerTexts& texts) {
  const double expected = number_in(forecast, "difference_mw");
  const double half_width = number_in(forecast, "plus_minus_mw");
  return texts.text("cli_abExpected",
                    {{"expected", difference_text(expected, texts)},
                     {"range", interval_text(expected, half_width, texts)},
                     {"stock", rounded(number_in(forecast, "stock_mw"))},
                     {"stock_late", rounded(number_in(forecast, "stock_late_percent"), 2)},
                     {"late", rounded(number_in(forecast, "framegov_late_percent"), 2)},
                     {"seconds", rounded(number_in(forecast, "seconds"))},
                     {"recording", text_in(forecast, "recording")},
                     {"device", text_in(forecast, "device")},
                     {"policy", text_in(forecast, "stock")}});
}

std::string ab_window_text(const ab::Progress& progress, const std::string& left,
                           const OwnerTexts& texts) {
  const std::string window = texts.text(
      "cli_abWindow",
      {{"window", std::to_string(progress.window + 1)},
       {"windows", std::to_string(progress.windows)},
       {"arm", progress.arm == ab::Arm::kStock ? texts.text("cli_abStock") : "framegov"}});
  return left.empty() ? window : window + ", " + texts.text("cli_abLeft", {{"time", left}});
}

}  // namespace framegov::cli

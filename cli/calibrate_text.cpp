// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/median.h"
#include "cli/json_read.h"
#include "cli/progress_line.h"

namespace framegov::cli {

namespace {

std::string mhz_text(const CpuTopology& topology, std::size_t cluster, std::size_t opp) {
  return std::to_string(topology.clusters[cluster].opps[opp].frequency.count() / 1000);
}

std::string policy_text(const CpuTopology& topology, std::size_t cluster) {
  return std::to_string(topology.clusters[cluster].cpufreq_id);
}

std::string load_text(const calibrate::Load& load, const CpuTopology& topology,
                      const OwnerTexts& texts) {
  return load.busy == 0
             ? texts.text("cli_calRest")
             : texts.text("cli_calLoad", {{"policy", policy_text(topology, load.cluster)},
                                          {"mhz", mhz_text(topology, load.cluster, load.opp)},
                                          {"cpus", std::to_string(load.busy)}});
}

std::size_t count_of(const calibrate::DropCounts& dropped, calibrate::Drop why) {
  return dropped[static_cast<std::size_t>(why)];
}

std::string activity_text(const calibrate::Progress& progress, const CpuTopology& topology,
                          const OwnerTexts& texts) {
  switch (progress.waiting) {
    case calibrate::Waiting::kForGauge:
      return texts.text("cli_calGauge");
    case calibrate::Waiting::kForCool:
      return texts.text("cli_calCooling", {{"time", rough_time(progress.longest_wait)}});
    case calibrate::Waiting::kNo:
      break;
  }
  return load_text(progress.load, topology, texts);
}

}  // namespace

std::string calibrate_progress_text(const calibrate::Progress& progress,
                                    const CpuTopology& topology, const OwnerTexts& texts) {
  constexpr double kPercent = 100;
  return texts.text("cli_calProgress",
                    {{"percent", formatted("%.0f", kPercent * progress.part)},
                     {"time", rough_time(seconds_to_duration(progress.seconds_left))},
                     {"what", activity_text(progress, topology, texts)}});
}

std::string calibrate_drop_text(const calibrate::Dropped& dropped, const CpuTopology& topology,
                                const OwnerTexts& texts) {
  constexpr double kPercent = 100;
  const std::string what = load_text(dropped.load, topology, texts);
  switch (dropped.why) {
    case calibrate::Drop::kHot:
      return texts.text("cli_calDropHot", {{"what", what}});
    case calibrate::Drop::kSuspended:
      return texts.text("cli_calDropSuspended", {{"what", what}});
    case calibrate::Drop::kNotHeld:
      break;
  }
  return texts.text("cli_calDropHeld",
                    {{"what", what}, {"percent", formatted("%.0f", kPercent * dropped.held)}});
}

std::vector<std::string> calibrate_sentences(const CpuTopology& topology,
                                             const calibrate::Estimate& estimate,
                                             const calibrate::DropCounts& dropped,
                                             const OwnerTexts& texts) {
  std::vector<double> errors;
  std::size_t interpolated = 0;
  for (const auto& cluster : estimate.clusters) {
    for (const calibrate::OppEstimate& opp : cluster) {
      opp.measured ? errors.push_back(opp.relative_error()) : void(++interpolated);
    }
  }
  constexpr double kPercent = 100;
  std::vector<std::string> sentences{texts.text(
      "cli_calFound",
      {{"count", std::to_string(errors.size())},
       {"median", formatted("%.1f", kPercent * median(errors))},
       {"worst", formatted("%.1f", kPercent * *std::max_element(errors.begin(), errors.end()))}})};
  if (interpolated > 0) {
    sentences.push_back(
        texts.text("cli_calInterpolated", {{"count", std::to_string(interpolated)}}));
  }
  for (const calibrate::Descent& descent : estimate.descents) {
    sentences.push_back(texts.text(descent.levelled ? "cli_calLevelled" : "cli_calDescent",
                                   {{"policy", policy_text(topology, descent.cluster)},
                                    {"mhz", mhz_text(topology, descent.cluster, descent.opp)}}));
  }
  if (dropped != calibrate::DropCounts{}) {
    using calibrate::Drop;
    sentences.push_back(texts.text(
        "cli_calDropped", {{"hot", std::to_string(count_of(dropped, Drop::kHot))},
                           {"unheld", std::to_string(count_of(dropped, Drop::kNotHeld))},
                           {"suspended", std::to_string(count_of(dropped, Drop::kSuspended))}}));
  }
  return sentences;
}

nlohmann::ordered_json to_json(const CpuTopology& topology, const calibrate::Estimate& estimate,
                               const calibrate::DropCounts& dropped) {
  nlohmann::ordered_json json;
  json["celsius"] = nullptr;
  if (estimate.celsius) {
    json["celsius"] = *estimate.celsius;
  }
  json["reading_noise_mw"] = estimate.reading_noise_mw;
  json["clusters"] = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < estimate.clusters.size(); ++c) {
    nlohmann::ordered_json each = {{"policy", topology.clusters[c].cpufreq_id}};
    for (std::size_t i = 0; i < estimate.clusters[c].size(); ++i) {
      const calibrate::OppEstimate& opp = estimate.clusters[c][i];
      each["opps"].push_back({{"khz", topology.clusters[c].opps[i].frequency.count()},
                              {"busy_mw", opp.busy_mw},
                              {"low_mw", opp.low_mw},
                              {"high_mw", opp.high_mw},
                              {"static_mw", opp.static_mw},
                              {"measured", opp.measured}});
    }
    json["clusters"].push_back(std::move(each));
  }
  json["descents"] = nlohmann::ordered_json::array();
  for (const calibrate::Descent& descent : estimate.descents) {
    json["descents"].push_back(
        {{"policy", topology.clusters[descent.cluster].cpufreq_id},
         {"khz", topology.clusters[descent.cluster].opps[descent.opp].frequency.count()},
         {"levelled", descent.levelled}});
  }
  json["dropped"] = {{"hot", count_of(dropped, calibrate::Drop::kHot)},
                     {"not_held", count_of(dropped, calibrate::Drop::kNotHeld)},
                     {"suspended", count_of(dropped, calibrate::Drop::kSuspended)}};
  return json;
}

}  // namespace framegov::cli

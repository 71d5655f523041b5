// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_messages.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "cli/ranks/rank_messages.h"
#include "sim/devices/content_hash.h"
#include "sim/sweep/sweep_key.h"

namespace framegov::cli {

namespace {

using nlohmann::json;
using sim::SweepPlan;
using sim::SweepUnit;

json pair_of(const SweepUnit& unit) { return {unit.number, unit.runs}; }

std::optional<SweepUnit> unit_of(const json& pair, const SweepPlan& plan) {
  const SweepUnit unit{number_at<std::size_t>(pair.at(0)), number_at<std::uint8_t>(pair.at(1))};
  return plan.has(unit) ? std::optional(unit) : std::nullopt;
}

/// Nothing: they are not those of the unit's runs, in their order.
std::optional<sim::SweepUnitResults> results_of(const json& message, const SweepUnit& unit,
                                                const SweepPlan& plan) {
  const json& input = message.at("input");
  sim::SweepUnitResults done{
      {number_at<std::int64_t>(input.at(0)), number_at<std::int64_t>(input.at(1)), input.at(2)},
      {}};
  std::vector<std::size_t> variants;
  for (const json& each : list_in(message.at("results"))) {
    sim::SweepResult result{number_at<std::size_t>(each.at(0)), number_at<std::size_t>(each.at(1)),
                            each.at(2), each.at(3)};
    if (result.scene != unit.scene(plan.units_of_a_scene()) ||
        !json::parse(result.figures, nullptr, false).is_object()) {
      return std::nullopt;
    }
    variants.push_back(result.variant);
    done.results.push_back(std::move(result));
  }
  return variants == plan.variants_of(unit) ? std::optional(std::move(done)) : std::nullopt;
}

}  // namespace

std::string sweep_work(const SweepPlan& plan) {
  return sim::sha256_hex(plan.sha256() + std::string(sim::simulator_version()));
}

json to_json(const sim::SweepQueue::Units& units) {
  json list = json::array();
  for (const SweepUnit& unit : units) {
    list.push_back(pair_of(unit));
  }
  return {{"units", std::move(list)}};
}

std::optional<sim::SweepQueue::Units> units_in(const json& message, const SweepPlan& plan) {
  return read_or_nothing([&]() -> std::optional<sim::SweepQueue::Units> {
    sim::SweepQueue::Units units;
    for (const json& pair : list_in(message.at("units"))) {
      const auto unit = unit_of(pair, plan);
      if (!unit) {
        return std::nullopt;
      }
      units.push_back(*unit);
    }
    return units;
  });
}

json to_json(const RankUnit& unit) {
  json message{{"unit", pair_of(unit.unit)}};
  if (!unit.done) {
    message["failed"] = {unit.done.error().message, unit.done.error().hint};
    return message;
  }
  message["input"] = {unit.done->input.bytes, unit.done->input.changed_ns, unit.done->input.sha256};
  message["results"] = json::array();
  for (const sim::SweepResult& each : unit.done->results) {
    message["results"].push_back({each.scene, each.variant, each.key, each.figures});
  }
  return message;
}

std::optional<RankUnit> unit_in(const json& message, const SweepPlan& plan) {
  return read_or_nothing([&]() -> std::optional<RankUnit> {
    const auto unit = unit_of(message.at("unit"), plan);
    if (!unit) {
      return std::nullopt;
    }
    if (message.contains("failed")) {
      return RankUnit{*unit,
                      fail(ExitCode::kFailure, message["failed"].at(0), message["failed"].at(1))};
    }
    auto results = results_of(message, *unit, plan);
    return results ? std::optional(RankUnit{*unit, std::move(*results)}) : std::nullopt;
  });
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/rank_messages.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace framegov::cli {

namespace {

using nlohmann::json;
using sim::SweepPlan;
using sim::SweepUnit;

/// What `read` makes of it; nothing where a part of it is missing or of another type.
template <class Read>
auto read_or_nothing(const Read& read) -> decltype(read()) {
  try {
    return read();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

/// A whole number that fits; json's own conversions cut it off.
template <class Number>
Number number_at(const json& value) {
  const bool fits =
      value.is_number_unsigned()
          ? std::in_range<Number>(value.get<std::uint64_t>())
          : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
  if (!fits) {
    throw json::out_of_range::create(406, "no whole number that fits", &value);
  }
  return value.get<Number>();
}

/// Throws where it is something else: json's own loops take that for a list of one, or of none.
const json& list_at(const json& message, const char* key) {
  const json& list = message.at(key);
  (void)list.get_ref<const json::array_t&>();
  return list;
}

json to_json(const SweepUnit& unit) { return {unit.number, unit.runs}; }

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
  for (const json& each : list_at(message, "results")) {
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

json to_json(const RankMeeting& meeting) {
  return {{"job", meeting.job},
          {"host", meeting.host},
          {"addresses", meeting.addresses},
          {"port", meeting.port},
          {"secret", meeting.secret}};
}

std::optional<RankMeeting> meeting_in(const json& message) {
  return read_or_nothing([&]() -> std::optional<RankMeeting> {
    return RankMeeting{message.at("job"), message.at("host"), message.at("addresses"),
                       number_at<std::uint16_t>(message.at("port")), message.at("secret")};
  });
}

json to_json(const RankGreeting& greeting) {
  return {{"secret", greeting.secret}, {"rank", greeting.rank}, {"work", greeting.work}};
}

std::optional<RankGreeting> greeting_in(const json& message) {
  return read_or_nothing([&]() -> std::optional<RankGreeting> {
    return RankGreeting{message.at("secret"), number_at<std::size_t>(message.at("rank")),
                        message.at("work")};
  });
}

json to_json(const sim::SweepQueue::Units& units) {
  json list = json::array();
  for (const SweepUnit& unit : units) {
    list.push_back(to_json(unit));
  }
  return {{"units", std::move(list)}};
}

std::optional<sim::SweepQueue::Units> units_in(const json& message, const SweepPlan& plan) {
  return read_or_nothing([&]() -> std::optional<sim::SweepQueue::Units> {
    sim::SweepQueue::Units units;
    for (const json& pair : list_at(message, "units")) {
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
  json message{{"unit", to_json(unit.unit)}};
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

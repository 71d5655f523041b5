// SPDX-License-Identifier: Apache-2.0
#include "cli/tune/tune_messages.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "base/json_text.h"
#include "cli/ranks/rank_messages.h"
#include "sim/devices/content_hash.h"
#include "sim/sweep/sweep_key.h"
#include "sim/sweep/sweep_world.h"

namespace framegov::cli {

namespace {

using nlohmann::json;
using sim::TuneRunner;
using sim::TuneUnit;

json pair_of(const TuneUnit& unit) { return {unit.scene, unit.values}; }

/// A number of JSON, and nothing that merely turns into one. Throws where it is none.
double real_at(const json& value) {
  return value.is_number() ? value.get<double>() : value.get_ref<const json::number_float_t&>();
}

std::optional<TuneUnit> unit_of(const json& pair, const TuneRunner& runner) {
  TuneUnit unit{number_at<std::size_t>(pair.at(0)), {}};
  for (const json& value : list_in(pair.at(1))) {
    unit.values.push_back(real_at(value));
  }
  return runner.has(unit) ? std::optional(std::move(unit)) : std::nullopt;
}

/// Nothing: no replay comes to that.
std::optional<sim::TuneRun> run_of(const json& list) {
  const auto whole = [&](std::size_t at) {
    return static_cast<double>(number_at<std::uint32_t>(list.at(at)));
  };
  sim::TuneRun run{.recording = 0,
                   .frames = whole(0),
                   .feasible = whole(1),
                   .missed = whole(2),
                   .energy = real_at(list.at(3)),
                   .others = {}};
  if (const json& others = list.at(4); !others.is_null()) {
    run.others = real_at(others);
  }
  const bool can_be = run.missed <= run.feasible && run.energy >= 0 && run.others.value_or(0) >= 0;
  return can_be ? std::optional(run) : std::nullopt;
}

}  // namespace

std::string content_of(const sim::ReplayInput& input) {
  const auto* const generated = std::get_if<sim::SyntheticSettings>(&input.load);
  return generated != nullptr ? sim::generator_text(*generated) : input.sha256;
}

std::string tune_work(const std::vector<sim::ReplayInput>& recordings,
                      const std::string& recorded_on, const std::vector<sim::ReplayDevice>& devices,
                      const sim::TuneSpace& space, const sim::ReplaySettings& settings) {
  json work{{"simulator", sim::simulator_version()},
            {"recorded_on", recorded_on},
            {"policy", space.policy()},
            {"deadline", sim::deadline_name(settings.deadline)},
            {"world", sim::exact_factors(settings.world())},
            {"seed", settings.world().seed}};
  for (const sim::ReplayInput& recording : recordings) {
    work["recordings"].push_back(content_of(recording));
  }
  for (const sim::ReplayDevice& device : devices) {
    work["devices"].push_back(device.sha256);
  }
  for (const sim::TuneRange& range : space.ranges()) {
    work["parameters"].push_back(range.parameter().name);
  }
  return sim::sha256_hex(json_line(work));
}

json to_json(const std::vector<TuneUnit>& choices) {
  json list = json::array();
  for (const TuneUnit& unit : choices) {
    list.push_back(pair_of(unit));
  }
  return {{"choices", std::move(list)}};
}

std::optional<std::vector<TuneUnit>> choices_in(const json& message, const TuneRunner& runner) {
  return read_or_nothing([&]() -> std::optional<std::vector<TuneUnit>> {
    std::vector<TuneUnit> choices;
    for (const json& pair : list_in(message.at("choices"))) {
      auto unit = unit_of(pair, runner);
      if (!unit) {
        return std::nullopt;
      }
      choices.push_back(*std::move(unit));
    }
    return choices;
  });
}

json to_json(const TuneDone& done) {
  const sim::TuneRun& run = done.run;
  const auto whole = [](double number) { return static_cast<std::uint32_t>(number); };
  return {{"choice", pair_of(done.unit)},
          {"run",
           {whole(run.frames), whole(run.feasible), whole(run.missed), run.energy,
            run.others ? json(*run.others) : json()}}};
}

std::optional<TuneDone> done_in(const json& message, const TuneRunner& runner) {
  return read_or_nothing([&]() -> std::optional<TuneDone> {
    auto unit = unit_of(message.at("choice"), runner);
    const auto run = run_of(message.at("run"));
    return unit && run ? std::optional(TuneDone{*std::move(unit), *run}) : std::nullopt;
  });
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_world.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <sstream>
#include <vector>

#include "base/unknown_name.h"
#include "sim/devices/device_model.h"

namespace framegov::sim {

namespace {

/// The one of an enumeration, which ends with `last`, that `name_of` calls `word`.
template <class Kind, class NameOf>
Status choose(Kind& kind, Kind last, NameOf name_of, const std::string& factor,
              const std::string& word) {
  Names known;
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(last); ++i) {
    known.push_back(name_of(static_cast<Kind>(i)));
    if (known.back() == word) {
      kind = static_cast<Kind>(i);
      return {};
    }
  }
  return fail_unknown(ExitCode::kBadInput, factor, word, known);
}

Status choose_number(double& to, const std::string& factor, const std::string& value, double most,
                     const std::string& words = {}) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stopped != end || !(number >= 0 && number <= most)) {
    std::ostringstream text;
    text << factor << " is " << words << "a number from 0 to " << most;
    return fail(ExitCode::kBadInput, text.str(), "docs/simulator/worlds.md describes it");
  }
  to = number;
  return {};
}

}  // namespace

Status set_factor(World& world, const std::string& factor, const std::string& value) {
  constexpr double kPercent = 100;
  if (factor == "placement") {
    return choose(world.placement, PlacementKind::kDevice, placement_name, factor, value);
  }
  if (factor == "limits") {
    return choose(world.limits, LimitsKind::kWorkItem, limits_name, factor, value);
  }
  if (factor == "power-knowledge") {
    return choose(world.power, EnergyModel::kCoefficients, energy_model_name, factor, value);
  }
  if (factor == "work-noise") {
    world.work_at_ticks = value == "ticks";
    double percent = 0;
    if (!world.work_at_ticks) {
      FRAMEGOV_TRY_STATUS(choose_number(percent, factor, value, 50, "ticks, or in percent "));
    }
    world.work_noise = percent / kPercent;
    return {};
  }
  if (factor == "event-latency") {
    double us = 0;
    FRAMEGOV_TRY_STATUS(choose_number(us, factor, value, 10'000));
    world.event_latency = std::chrono::nanoseconds{static_cast<std::int64_t>(us * 1e3)};
    return {};
  }
  if (factor == "tail") {
    double percent = 0;
    if (value != "fitted" && value != "as-recorded") {
      FRAMEGOV_TRY_STATUS(
          choose_number(percent, factor, value, 200, "fitted, as-recorded, or in percent "));
    }
    world.tail = value == "fitted" ? kFittedTail : percent / kPercent;
    return {};
  }
  if (factor == "split") {
    if (value != "on" && value != "off") {
      return fail_unknown(ExitCode::kBadInput, factor, value, {"on", "off"});
    }
    world.split = value == "on";
    return {};
  }
  return fail_unknown(
      ExitCode::kBadInput, "factor of the world", factor,
      {"placement", "limits", "power-knowledge", "work-noise", "event-latency", "tail", "split"});
}

std::string exact_factors(World world) {
  world.seed = 0;
  std::ostringstream text;
  text << std::setprecision(17) << world.factors() << ", exactly " << world.work_noise << ' '
       << world.event_latency.count() << ' ' << world.tail;
  return text.str();
}

}  // namespace framegov::sim

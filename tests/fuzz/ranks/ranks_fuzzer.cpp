// SPDX-License-Identifier: Apache-2.0
// Any bytes as a message from another rank of a sweep or a tuning. What is taken is of the plan, or
// of what is tuned, and is read from what is written of it.
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "base/json_text.h"
#include "cli/ranks/rank_messages.h"
#include "cli/sweep/sweep_messages.h"
#include "cli/tune/tune_messages.h"
#include "sim/devices/device_catalog.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;
using nlohmann::json;

sim::SweepPlan a_plan() {
  // Nine policies and the bounds: two units a scene, the second of which has two runs.
  auto plan = sim::parse_sweep_plan(
      "inputs: ['synthetic:fling@120:2']\ndevices: [sm8250, sdm845]\nseeds: 1..3\nbounds: true\n"
      "policies: [mpc, pid, schedutil, powersave, performance, adpf, adpf2, loom, "
      "schedutil-boost]\n",
      "plan", {}, *sim::DeviceCatalog::load());
  need(plan.has_value(), "the plan is one");
  return *std::move(plan);
}

/// Two scenes; one parameter in its range, and one of few whole numbers.
sim::TuneRunner a_tuning() {
  static const sim::DeviceCatalog kCatalog = *sim::DeviceCatalog::load();
  sim::ReplaySettings settings;
  static const std::vector<sim::ReplayDevice> kPhones{
      {**kCatalog.find("sm8250"), settings.world().power},
      {**kCatalog.find("sdm845"), settings.world().power}};
  return {{{"fling", *sim::parse_synthetic("synthetic:fling@120:2"), {}}},
          kPhones,
          *sim::TuneSpace::of("mpc", {"eps", "placement"}),
          settings,
          1};
}

/// As it goes over the line.
json sent(const json& message) { return json::parse(json_line(message), nullptr, false); }

void need_of_plan(const cli::RankUnit& unit, const sim::SweepPlan& plan) {
  need(plan.has(unit.unit), "a unit is of the plan");
  if (!unit.done) {
    need_one_line("failed: " + unit.done.error().to_string());
    return;
  }
  need(unit.done->results.size() == static_cast<std::size_t>(__builtin_popcount(unit.unit.runs)),
       "each run has one result");
  for (const sim::SweepResult& each : unit.done->results) {
    need(each.scene < plan.scenes() && each.variant < plan.variants(), "a result is of the plan");
  }
}

void need_of_tuning(const json& message, const sim::TuneRunner& tuning) {
  if (const auto choices = cli::choices_in(message, tuning)) {
    for (const sim::TuneUnit& unit : *choices) {
      need(tuning.has(unit), "a choice is of what is tuned");
    }
    need(cli::choices_in(sent(cli::to_json(*choices)), tuning) == choices,
         "choices are read again");
  }
  if (const auto done = cli::done_in(message, tuning)) {
    need(tuning.has(done->unit), "what was done is of what is tuned");
    need(done->run.energy >= 0 && done->run.missed <= done->run.feasible, "a replay comes to that");
    const auto figures = [](const cli::TuneDone& each) {
      return std::tie(each.run.frames, each.run.feasible, each.run.missed, each.run.energy,
                      each.run.others);
    };
    const auto again = cli::done_in(sent(to_json(*done)), tuning);
    need(again && again->unit == done->unit && figures(*again) == figures(*done),
         "what was done is read again");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const sim::SweepPlan kPlan = a_plan();
  static const sim::TuneRunner kTuning = a_tuning();
  const json message = json::parse(text_of(data, size), nullptr, false);
  if (const auto meeting = cli::meeting_in(message)) {
    need(cli::meeting_in(sent(to_json(*meeting))).has_value(), "a meeting is read again");
  }
  if (const auto greeting = cli::greeting_in(message)) {
    need(cli::greeting_in(sent(to_json(*greeting))).has_value(), "a greeting is read again");
  }
  if (const auto units = cli::units_in(message, kPlan)) {
    need(cli::units_in(sent(cli::to_json(*units)), kPlan) == units, "units are read again");
  }
  if (const auto unit = cli::unit_in(message, kPlan)) {
    need_of_plan(*unit, kPlan);
    const auto again = cli::unit_in(sent(to_json(*unit)), kPlan);
    need(again && again->unit == unit->unit && again->done.has_value() == unit->done.has_value(),
         "a unit is read again");
  }
  need_of_tuning(message, kTuning);
  return 0;
}

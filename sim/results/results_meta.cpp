// SPDX-License-Identifier: Apache-2.0
#include "sim/results/results_meta.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "policy/policy_factory.h"
#include "sim/results/scorecard.h"
#include "sim/workload/deadline_mode.h"

namespace framegov::sim {

namespace {

using nlohmann::json;

json hash_or_null(const std::string& sha256) {
  return sha256.empty() ? json(nullptr) : json(sha256);
}

double us(Duration duration) { return std::chrono::duration<double, std::micro>(duration).count(); }

/// The values of all that a configuration can change of it; those of a rival are fixed.
json parameters_of(const std::string& policy, const PolicySettings& settings) {
  json values = json::object();
  if (const PolicyKind* const kind = policy_kind(policy)) {
    for (const PolicyParameter& parameter : kind->parameters) {
      values[std::string(parameter.name)] = parameter.in(settings);
    }
  }
  return values;
}

}  // namespace

json results_meta(std::string_view version, const std::vector<ReplayInput>& inputs,
                  const std::vector<ReplayDevice>& devices,
                  const std::vector<const PolicyEntry*>& policies, const ReplaySettings& settings) {
  const PlantSettings& plant = settings.plant;
  json meta = {{"schema", "framegov-results"},
               {"schema_version", kResultsSchemaVersion},
               {"program", "framegov"},
               {"version", version},
               {"world", world_json(settings.world())},
               {"seed", settings.world().seed},
               {"settings",
                {{"deadline", deadline_name(settings.deadline)},
                 {"late", plant.drop_late ? "drop" : "queue"},
                 {"write_latency_us", us(plant.write_latency)},
                 {"thread_latency_us", us(plant.thread_latency)},
                 {"rate_limit_us", us(plant.rate_limit)},
                 {"tick_us", us(plant.tick)}}},
               {"inputs", json::array()},
               {"devices", json::array()},
               {"policies", json::array()}};
  for (const ReplayInput& input : inputs) {
    meta["inputs"].push_back({{"name", input.name}, {"sha256", hash_or_null(input.sha256)}});
  }
  for (const ReplayDevice& device : devices) {
    meta["devices"].push_back({{"name", device.name}, {"sha256", hash_or_null(device.sha256)}});
  }
  for (const PolicyEntry* policy : policies) {
    meta["policies"].push_back(
        {{"name", policy->name}, {"parameters", parameters_of(policy->name, settings.policy)}});
  }
  return meta;
}

}  // namespace framegov::sim

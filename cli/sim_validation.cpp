// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_validation.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/sim_report.h"
#include "sim/device_catalog.h"

namespace framegov::cli {

nlohmann::json to_json(const Validation& validation) {
  using nlohmann::json;
  const auto frames = [&](const auto& which) {
    return std::count_if(validation.frames.begin(), validation.frames.end(), which);
  };
  json object{
      {"frames", validation.frames.size()},
      {"seconds", validation.seconds},
      {"generation_error", {{"p50", validation.error(0.5)}, {"p90", validation.error(0.9)}}},
      {"usual_start", nullptr},
      {"late",
       {{"as_recorded", frames([](const ValidatedFrame& frame) {
           return frame.recorded_late == frame.predicted_late;
         })},
        {"labelled",
         frames([](const ValidatedFrame& frame) { return frame.platform_late.has_value(); })},
        {"as_labelled", frames([](const ValidatedFrame& frame) {
           return frame.platform_late == frame.predicted_late;
         })}}},
      {"cpu_mj",
       {{"predicted", validation.predicted_cpu_mj},
        {"rails", nullptr},
        {"predicted_over_rails", nullptr}}}};
  if (const auto middle = validation.usual_start_error(0.5)) {
    object["usual_start"] = {
        {"frames", frames([](const ValidatedFrame& frame) { return frame.held_out; })},
        {"dispatch_ms", validation.dispatch_ms},
        {"generation_error", {{"p50", *middle}, {"p90", *validation.usual_start_error(0.9)}}}};
  }
  if (validation.rails_cpu_mj) {
    object["cpu_mj"]["rails"] = *validation.rails_cpu_mj;
    object["cpu_mj"]["predicted_over_rails"] =
        validation.predicted_cpu_mj / *validation.rails_cpu_mj;
  }
  return object;
}

Status validate_inputs(const SimInputArguments& inputs, const std::string& device,
                       const std::string& device_dir, const std::string& json) {
  const Result<DeviceCatalog> catalog = DeviceCatalog::load(device_dir);
  if (!catalog) {
    return tl::unexpected(catalog.error());
  }
  const Result<const DeviceModel*> power = catalog->find(device);
  if (!power) {
    return tl::unexpected(power.error());
  }
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : inputs.names) {
    const Result<Workload> workload = load_workload(name, inputs);
    if (!workload) {
      return tl::unexpected(workload.error());
    }
    const Result<Validation> validation = validate(*workload, **power);
    if (!validation) {
      return tl::unexpected(validation.error());
    }
    if (json != "-") {
      std::cout << name << " at its recorded frequencies, power of " << (*power)->name << ":\n";
      print_validation(std::cout, *validation);
    }
    all.push_back(to_json(*validation));
    all.back()["input"] = name;
    all.back()["device"] = (*power)->name;
  }
  return json.empty() ? Status{} : write_json(json, {{"validations", all}});
}

}  // namespace framegov::cli

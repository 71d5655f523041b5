// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_validation.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/sim_report.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/validate.h"

namespace framegov::cli {

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
  LeftOutInputs left_out;
  for (const std::string& name : inputs.names) {
    const Result<std::optional<Workload>> workload = load_workload(name, inputs, left_out);
    if (!workload) {
      return tl::unexpected(workload.error());
    }
    if (!*workload) {
      continue;
    }
    const Result<Validation> validation = validate(**workload, **power);
    if (!validation) {
      left_out.add(validation.error());
      continue;
    }
    if (json != "-") {
      std::cout << name << " at its recorded frequencies, power of " << (*power)->name << ":\n";
      print_validation(std::cout, *validation);
    }
    all.push_back(to_json(*validation));
    all.back()["input"] = name;
    all.back()["device"] = (*power)->name;
  }
  if (Status any = left_out.tell(!all.empty()); !any) {
    return any;
  }
  return json.empty() ? Status{} : write_json(json, {{"validations", all}});
}

}  // namespace framegov::cli

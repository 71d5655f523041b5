// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_validation.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/progress_line.h"
#include "cli/sim_report.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/forward_validation.h"
#include "sim/run/validate.h"

namespace framegov::cli {

namespace {

struct Validated {
  std::string name;
  sim::Validation validation;
  std::optional<sim::ForwardValidation> forward;
};

void print_row(const std::string& name, const sim::Validation& validation,
               const std::optional<sim::ForwardValidation>& forward) {
  const sim::Validation::Counts counts = validation.counts();
  std::printf("%-36s %7zu %8.1f %6.1f %8zu", name.c_str(), validation.frames.size(),
              100 * validation.error(0.5), 100 * validation.error(0.9), counts.late_as_recorded);
  std::printf(" %6zu/%-6zu %6zu/%-6zu", counts.late_as_labelled, counts.labelled,
              counts.taken_as_recorded, counts.buffers);
  if (forward) {
    const sim::Halving mean = forward->mean();
    const sim::ForwardValidation::Range halves = forward->range(&sim::Halving::p95_between);
    std::printf(" %+6.1f %+6.1f %+10.1f %+6.1f %+9.0f ..%+4.0f", 100 * mean.late_error(),
                100 * mean.p95_error(), 100 * forward->fixed.late_error(),
                100 * forward->fixed.p95_error(), 100 * halves.from, 100 * halves.to);
  }
  std::printf("\n");
}

/// A line for each recording, and one for all their frames.
void print_summary(const std::vector<Validated>& all) {
  const bool forward = std::any_of(all.begin(), all.end(),
                                   [](const Validated& each) { return each.forward.has_value(); });
  std::printf("\n%-36s %7s %15s %8s %13s %13s%s\n", "recording", "frames", "off % p50/p90",
              "late as", "late as", "taken as",
              forward ? " forward: late, p95 off  every other run  halves differ" : "");
  std::printf("%-36s %7s %15s %8s %13s %13s%s\n", "", "", "", "recorded", "labelled", "counted",
              forward ? "          (points, %)       (the same)     (% at p95)" : "");
  sim::Validation pooled;
  for (const Validated& each : all) {
    print_row(std::filesystem::path(each.name).filename().string(), each.validation, each.forward);
    pooled.frames.insert(pooled.frames.end(), each.validation.frames.begin(),
                         each.validation.frames.end());
  }
  print_row("all", pooled, std::nullopt);
  std::fflush(stdout);
}

/// True, and the word taken out, where `names` ask for the forward check.
bool take_forward(std::vector<std::string>& names) {
  const auto word = std::find(names.begin(), names.end(), "forward");
  if (word == names.end() || std::filesystem::exists(*word)) {
    return false;
  }
  names.erase(word);
  return true;
}

}  // namespace

Status validate_inputs(const SimInputArguments& arguments, const std::string& device,
                       const std::string& device_dir, const std::string& json) {
  SimInputArguments inputs = arguments;
  const bool forward = take_forward(inputs.names);
  if (inputs.names.empty()) {
    return fail(ExitCode::kUsage, "--validate forward: no recording", "name one");
  }
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(device_dir));
  FRAMEGOV_TRY(const sim::DeviceModel* const power, catalog.find(device));
  nlohmann::json results = nlohmann::json::array();
  std::vector<Validated> all;
  LeftOutInputs left_out;
  ProgressLine line;
  std::size_t seen = 0;
  for (const std::string& name : inputs.names) {
    line.show("validating", static_cast<double>(seen++) / static_cast<double>(inputs.names.size()));
    FRAMEGOV_TRY(const std::optional<sim::Workload> workload,
                 load_workload(name, inputs, left_out));
    if (!workload) {
      continue;
    }
    Result<sim::Validation> validation = sim::validate(*workload, *power);
    line.clear();
    if (!validation) {
      left_out.add(validation.error());
      continue;
    }
    results.push_back(sim::to_json(*validation));
    results.back()["input"] = name;
    results.back()["device"] = power->name;
    std::optional<sim::ForwardValidation> predicted;
    if (forward) {
      if (const auto done = sim::validate_forward(*workload, *power)) {
        predicted = *done;
        results.back()["forward"] = sim::to_json(*done);
      } else {
        left_out.add(done.error());
      }
    }
    if (json != "-") {
      std::cout << name << " at its recorded frequencies, power of " << power->name << ":\n";
      sim::print_validation(std::cout, *validation);
      if (predicted) {
        sim::print_forward(std::cout, *predicted);
      }
      if (!workload->knows_core_worth) {
        std::cout << "what its cores are worth is not known: the energy is a guess "
                     "(--recorded-on NAME)\n";
      }
    }
    all.push_back({name, std::move(*validation), predicted});
  }
  FRAMEGOV_TRY_STATUS(left_out.tell(!all.empty()));
  if (json != "-" && all.size() > 1) {
    std::cout.flush();
    print_summary(all);
  }
  return json.empty() ? Status{} : write_json(json, {{"validations", results}});
}

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/sim_inputs.h"
#include "cli/world_options.h"
#include "sim/run/replay.h"

namespace framegov::cli {

/// What `framegov sim` is told; the defaults are its options'.
struct SimArguments {
  SimInputArguments inputs;
  std::string devices = "tensor_g1";
  std::string policies = "schedutil,schedutil-boost,pid,mpc";
  std::string config;
  std::string device_dir;
  std::string json;
  std::string html;
  std::string frames_csv;
  std::string loop;
  std::string perfetto;
  std::optional<std::uint64_t> explain;
  std::vector<double> sweep;
  std::size_t jobs = 0;
  std::int64_t rate_limit_us = 500;
  std::int64_t write_latency_us = 100;
  bool bounds = false;
  bool no_bounds = false;
  bool validate = false;
  WorldOptions world;
  sim::ReplaySettings settings;  ///< its world is chosen of `world` and the inputs' seed
};

/// The phones of those names, comma-separated, or all; a name given twice is one phone.
[[nodiscard]] Result<std::vector<sim::ReplayDevice>> load_devices(const std::string& names,
                                                                  const std::string& device_dir,
                                                                  sim::EnergyModel power);

/// Runs what they ask for, and prints or writes it.
[[nodiscard]] Status simulate(SimArguments arguments);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "cli/ab/outcome.h"
#include "cli/profile_lookup.h"

namespace framegov::cli {

/// What `framegov ab` is told of a forecast.
struct ForecastOptions {
  std::string recording;  ///< a file or synthetic:SCENE@HZ:SECONDS; empty: no forecast
  std::string device;     ///< its name; empty: the file of `framegov calibrate`
  std::string device_dir;
  std::string stock;  ///< a policy; empty: the engine that is measured against, else stock's

  /// `command` must not outlive this.
  void add_to(CLI::App& command);
};

/// What `app` should take with framegov, as `profiles` have it, and without, under `engine` unless
/// empty. Shows its progress. Error: the recording or the phone cannot be read, the recording is
/// too short, or the simulator does not know the engine.
[[nodiscard]] Result<ab::Expectation> expect_of(const ForecastOptions& options,
                                                const std::string& app, const std::string& engine,
                                                const LoadedProfiles& profiles);

}  // namespace framegov::cli

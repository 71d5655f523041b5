// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/results/scorecard.h"
#include "sim/run/replay.h"

namespace framegov::cli {

/// What `framegov sim` was asked to run.
struct SimJob {
  const std::vector<sim::ReplayInput>& inputs;
  const std::vector<sim::ReplayDevice>& devices;
  const std::vector<const sim::PolicyEntry*>& policies;
  const sim::ReplaySettings& settings;
  const std::vector<sim::SceneBounds>& bounds;
  std::size_t jobs;
};

/// Policy "mpc" at several target miss rates.
struct Sweep {
  /// Energy (geometric mean over inputs, relative to the strict bound, else to stock) and misses:
  /// [{"policy","device","points":[{"eps","energy","miss_rate","avoidable_rate"}]}] with one entry
  /// for each phone.
  nlohmann::json curves;
  /// Every run, as to_json() has them, each with its "eps".
  nlohmann::json runs;
};
/// `runs`: those of the job, stock's among them.
[[nodiscard]] Sweep sweep_eps(const SimJob& job, const std::vector<sim::RunResult>& runs,
                              const std::vector<double>& values);

/// Writes `results` to the file `path`, or to stdout when it is "-".
[[nodiscard]] Status write_json(const std::string& path, const nlohmann::json& results);

/// Writes a line for each frame of each run of `job` to the file `path` ("-": stdout), as CSV
/// (docs/results.md). Runs are replayed once more for it, one after another.
[[nodiscard]] Status write_frames(const std::string& path, const SimJob& job);

/// A comparison with the virtual phone, of the shape in sim/report/report.h. Error: the file is
/// not what `./dev loop` writes.
[[nodiscard]] Result<nlohmann::json> read_loop(const std::string& path);

/// Writes the HTML report: all runs, sweeps, what read_loop() gave unless null, and every run frame
/// by frame. Runs are replayed once more for it.
[[nodiscard]] Status write_report(const std::string& path, const SimJob& job,
                                  const std::vector<sim::ScoredRun>& runs,
                                  const nlohmann::json& sweeps, const nlohmann::json& loop);

}  // namespace framegov::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/results/ranking.h"
#include "sim/sweep/sweep_plan.h"

namespace framegov::sim {

/// The figures (SweepResult::figures) of a run of the plan; nothing where it is not done. `Status`
/// fails what asks for them.
using FiguresOf =
    std::function<Result<std::optional<std::string>>(std::size_t scene, std::size_t variant)>;

/// A line of a sweep's table: who ran, and a flat object of figures. Keys are those of `runs` in
/// docs/results.schema.json, nested ones joined by a dot, with their ratios; or "error" alone.
struct SweepRow {
  std::string input;
  std::string device;
  std::string world;
  std::string deadline;
  std::uint64_t seed{};
  std::string policy;
  std::string parameters;
  nlohmann::json figures;

  [[nodiscard]] bool failed() const { return figures.contains("error"); }
};

/// What a walk over a table found.
struct SweepCount {
  std::size_t rows = 0;
  std::size_t failed = 0;   ///< of them: there was nothing to replay
  std::size_t missing = 0;  ///< runs of the plan that are not done
};

/// Every row that there is, in the order of the plan: the scene, then the policy.
[[nodiscard]] Result<SweepCount> for_each_row(const SweepPlan& plan, const FiguresOf& figures,
                                              const std::function<void(const SweepRow&)>& row);

/// The head of the CSV, and a row of it. Numbers have the digits that tell them apart, so equal
/// results are equal bytes.
[[nodiscard]] std::string sweep_csv_head();
[[nodiscard]] std::string sweep_csv_line(const SweepRow& row);

/// The rows of such a CSV. Error: it is none, with `name` and line.
[[nodiscard]] Result<std::vector<SweepRow>> read_sweep_csv(std::string_view csv,
                                                           const std::string& name);

/// For Ranking::add(). Seeds of a generated input are inputs of their own, those of a recording are
/// not.
[[nodiscard]] RankedRun ranked_run(const SweepRow& row);

}  // namespace framegov::sim

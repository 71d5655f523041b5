// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/sweep/sweep_plan.h"
#include "sim/sweep/sweep_queue.h"
#include "sim/sweep/sweep_table.h"

namespace framegov::sim {

/// FrameBench 1: a plan that does not change (framebench_1.yaml), run with policies of one's own.
/// Its reference, the stock governor, runs always.
struct FrameBench {
  std::string definition_sha256;  ///< of the YAML file
  SweepPlan plan;

  [[nodiscard]] static std::string name() { return "FrameBench 1"; }
  /// Error: a phone's file is not the one that the benchmark was made with.
  [[nodiscard]] static Result<FrameBench> load();
  /// One that is there already is not added again.
  void add(SweepPolicy policy);
};

/// One run of it, in memory. Native policies run on several threads, others (of Python) on the
/// caller's.
class FrameBenchRun {
 public:
  explicit FrameBenchRun(const SweepPlan& plan);
  void run_native(std::size_t jobs);
  void run_others();
  /// Runs that are done, for whoever shows progress.
  [[nodiscard]] const std::atomic<std::size_t>& done() const { return done_; }
  /// The table of results, which is what is signed.
  [[nodiscard]] Result<std::string> csv() const;

 private:
  void run(std::size_t jobs, bool native);

  const SweepPlan* plan_;
  std::vector<std::optional<std::string>> figures_;  ///< by scene and variant
  std::atomic<std::size_t> done_{0};
};

enum class FrameBenchVerdict : std::uint8_t { kMet, kDelaysOthers, kLate };

/// A policy in one world. Targets: at most 0.1 % of the deadlines missed that full speed meets
/// (RankedPolicy::avoidable_rate), and others' work done at most a tenth later than under stock.
struct FrameBenchScore {
  std::string world;
  FrameBenchVerdict verdict{};
  RankedPolicy figures;  ///< intervals: 95 %, bootstrap over scenes and seeds
};

/// By world; those that meet the targets first, then by energy over stock.
[[nodiscard]] std::vector<FrameBenchScore> frame_bench_scores(const std::vector<SweepRow>& rows);

/// The table for people: scores, and below them the hashes that it is rechecked by. `csv` is what
/// csv() gave; an error says what is wrong with another's.
[[nodiscard]] Result<std::string> frame_bench_table(const FrameBench& bench, std::string_view csv,
                                                    const std::string& name);

/// The same as JSON on one line.
[[nodiscard]] Result<std::string> frame_bench_json(const FrameBench& bench, std::string_view csv,
                                                   const std::string& name);

}  // namespace framegov::sim

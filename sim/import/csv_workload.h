// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

inline constexpr std::string_view kCsvMagic = "# framegov workload";

/// Whether a file that begins with `head` is one: by our first line, or by a vsync_ns among the
/// names of its columns, behind comments.
[[nodiscard]] bool is_workload_csv(std::string_view head);

/// Reads a workload CSV (docs/workload-csv.md). Fails with kBadInput, naming the line.
[[nodiscard]] Result<Workload> read_workload_csv(std::string_view text);

/// Writes one that read_workload_csv() reads back.
void write_workload_csv(const Workload& workload, std::ostream& out);

/// One table of a workload: a CSV file with one header line.
struct WorkloadTable {
  std::string file;
  std::string text;
};

/// The same workload as tables of a folder: device.csv, clusters.csv, frames.csv, other_load.csv,
/// touches.csv, boosts.csv and frequencies.csv, all of them always.
[[nodiscard]] std::vector<WorkloadTable> workload_tables(const Workload& workload);

/// Reads what workload_tables() makes from `folder`; frames.csv alone will do. Fails with
/// kBadInput, naming file and line.
[[nodiscard]] Result<Workload> read_workload_tables(const std::filesystem::path& folder);

}  // namespace framegov::sim

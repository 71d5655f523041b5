// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string_view>

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

}  // namespace framegov::sim

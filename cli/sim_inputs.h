// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/import/import.h"
#include "sim/replay.h"

namespace framegov::cli {

/// What `framegov sim` is to read.
struct SimInputArguments {
  std::vector<std::string> names;  ///< files, or synthetic:SCENE@HZ:SECONDS
  std::string app;                 ///< only its frames of a recording; empty: all apps'
  std::uint64_t seed = 1;          ///< of synthetic inputs
  ImportOptions import;
};

/// The file names of `paths`, and of those that share theirs as much of the path as tells them
/// apart: figures are looked up by an input's name, so two must not have the same. A path that is
/// given twice stays one input.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& paths);

/// The recording at `path`; only the frames of the wanted app. A synthetic one is an error.
[[nodiscard]] Result<Workload> load_workload(const std::string& path,
                                             const SimInputArguments& arguments);

/// All inputs, in the order given. Recordings without work are refused: there is nothing to replay.
[[nodiscard]] Result<std::vector<ReplayInput>> load_inputs(const SimInputArguments& arguments);

}  // namespace framegov::cli

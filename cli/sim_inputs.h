// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sim/import/import.h"
#include "sim/run/replay.h"

namespace framegov::cli {

/// What `framegov sim` is to read.
struct SimInputArguments {
  std::vector<std::string> names;  ///< files, or synthetic:SCENE@HZ:SECONDS
  std::string app;                 ///< only its frames of a recording; empty: all apps'
  std::uint64_t seed = 1;          ///< of synthetic inputs
  sim::ImportOptions import;
};

/// The file names of `paths`, and of those that share theirs as much of the path as tells them
/// apart: figures are looked up by an input's name, so two must not have the same. A path that is
/// given twice stays one input.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<std::string>& paths);

/// Recordings that can be read, but hold nothing to replay: no frames, or work that is not known.
class LeftOutInputs {
 public:
  void add(Error why) { all_.push_back(std::move(why)); }
  /// Says which there are, on stderr where other inputs are left and else as the error.
  [[nodiscard]] Status tell(bool any_left) const;

 private:
  std::vector<Error> all_;
};

/// The recording at `path`; only the frames of the wanted app. Nothing where it is left out; a
/// synthetic one is an error.
[[nodiscard]] Result<std::optional<sim::Workload>> load_workload(const std::string& path,
                                                                 const SimInputArguments& arguments,
                                                                 LeftOutInputs& left_out);

/// All inputs with something to replay, each once, in the order given; others are told of. None
/// left is an error, and so is a file that cannot be read.
[[nodiscard]] Result<std::vector<sim::ReplayInput>> load_inputs(const SimInputArguments& arguments);

}  // namespace framegov::cli

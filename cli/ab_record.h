// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "governor/state/state_dir.h"

namespace framegov::cli {

/// What an experiment that runs in the background leaves in the state folder for whoever asks
/// later: how far it is, and the last result. A lock tells whether it runs still, whatever became
/// of it.
class AbRecord {
 public:
  /// Error: the folder cannot be used.
  [[nodiscard]] static Result<AbRecord> open(const std::filesystem::path& state_dir);

  /// Makes this process and its children those that run. Error: an experiment runs already.
  [[nodiscard]] Status claim();
  /// Tells how to end it, once it is claimed.
  [[nodiscard]] Status name_runner(pid_t pid) const;
  [[nodiscard]] Status keep_progress(std::string_view json) const;
  [[nodiscard]] Status keep_result(std::string_view json) const;

  /// {"running": what keep_progress() was given last, or null, "result": as keep_result(), or null}
  [[nodiscard]] nlohmann::json standing() const;
  /// Asks the one that runs to end with what there is. Error: none runs.
  [[nodiscard]] Status stop() const;

 private:
  explicit AbRecord(StateDir dir) : dir_(std::move(dir)) {}

  [[nodiscard]] Result<UniqueFd> open_lock() const;
  [[nodiscard]] bool running() const;
  [[nodiscard]] nlohmann::json read(const char* name) const;

  StateDir dir_;
  UniqueFd lock_;
};

}  // namespace framegov::cli

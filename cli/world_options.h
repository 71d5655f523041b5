// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <vector>

#include "sim/plant/world.h"

namespace framegov::cli {

/// The world that a command is to replay in: `--world`, and what single factors change of it.
class WorldOptions {
 public:
  /// Adds the options to `command`, which this must outlive.
  void add_to(CLI::App& command);
  /// What was asked for; `seed` is of all that the world draws.
  [[nodiscard]] sim::World chosen(std::uint64_t seed) const;

  /// Their names, for options that they do not go with.
  [[nodiscard]] static const std::vector<const char*>& names();

 private:
  using Change = std::function<void(sim::World&)>;
  bool ideal_ = false;
  std::vector<Change> changes_;
};

}  // namespace framegov::cli

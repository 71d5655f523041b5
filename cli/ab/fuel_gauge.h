// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/result.h"
#include "cli/ab/window.h"

namespace framegov::ab {

/// The battery as the kernel's power_supply class tells of it.
class FuelGauge {
 public:
  /// The first supply of type Battery below `root` that tells current or charge. Error: none.
  [[nodiscard]] static Result<FuelGauge> find(const std::filesystem::path& root);

  /// Sets current, charge, voltage and whether it charges. The nodes are in uA, uAh and uV, the
  /// current's sign differs between vendors and some give mA: a phone in use draws more than 10 mA,
  /// so smaller figures are taken for mA.
  [[nodiscard]] Status read(Observation& observation) const;

 private:
  explicit FuelGauge(std::filesystem::path dir) : dir_(std::move(dir)) {}

  std::filesystem::path dir_;
};

}  // namespace framegov::ab

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "cli/ab/window.h"

namespace framegov::ab {

/// The battery as the kernel's power_supply class tells of it.
class FuelGauge {
 public:
  /// The first supply of type Battery below `root` that tells current or charge. Error: none.
  [[nodiscard]] static Result<FuelGauge> find(const std::filesystem::path& root);

  /// Sets current, charge, voltage and whether the phone is on a charger: its battery does anything
  /// but discharge, or a supply from outside is online, as far as either is known. Charge and
  /// voltage are in uAh and uV everywhere; the current's unit differs between vendors and is left
  /// for gauge_traits() to find. Error: the nodes cannot be read.
  [[nodiscard]] Status read(Observation& observation) const;

  /// Of the battery; none: it does not say.
  [[nodiscard]] std::optional<double> celsius() const;
  /// How full the battery is; none: it does not say.
  [[nodiscard]] std::optional<double> percent() const;

 private:
  explicit FuelGauge(std::filesystem::path dir) : dir_(std::move(dir)) {}

  std::filesystem::path dir_;
};

}  // namespace framegov::ab

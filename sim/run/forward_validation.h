// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.h"
#include "sim/devices/device_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Half of a recording's frames, what was predicted of them from the other half, and what the
/// other half itself was.
struct Halving {
  struct Half {
    double late = 0;  ///< part of the frames, 0 to 1
    double p95_ms = 0;
  };
  Half recorded;   ///< the frames that are predicted
  Half predicted;  ///< from the known ones
  Half known;

  [[nodiscard]] double late_error() const { return predicted.late - recorded.late; }
  [[nodiscard]] double p95_error() const { return over(predicted, recorded); }
  [[nodiscard]] double late_between() const { return known.late - recorded.late; }
  [[nodiscard]] double p95_between() const { return over(known, recorded); }

 private:
  [[nodiscard]] static double over(const Half& half, const Half& reference) {
    return reference.p95_ms > 0 ? half.p95_ms / reference.p95_ms - 1 : 0;
  }
};

/// A recording, halved again and again.
struct ForwardValidation {
  std::size_t frames = 0;  ///< of apps that have enough
  Halving fixed;           ///< known, unknown, known, ...: predicted many times, in the mean
  std::vector<Halving> drawn;

  /// Over all that were drawn: the means of late, and of the 95th percentiles.
  [[nodiscard]] Halving mean() const;
  struct Range {
    double from = 0;
    double to = 0;
  };
  /// What nine in ten of the drawn halvings have.
  [[nodiscard]] Range range(double (Halving::*what)() const) const;
};

/// Predicts half of a recording from the other half.
///
/// Each app's frames are cut into runs of eight. Of every two runs one is known. In place of an
/// unknown one stand runs of the known frames next to it, drawn at random: with the time that each
/// stage took at the frequencies that the phone gave it, how late the thread took the frame up, and
/// the time until the next vsync that it got. Nothing of the unknown frames is used but their
/// number. The plant makes frames of all this: who waits for whom, for which buffer, what is late.
/// Compared are distributions. Fails as validate() does, and where no app has four runs.
[[nodiscard]] Result<ForwardValidation> validate_forward(const Workload& workload,
                                                         const DeviceModel& power);

void print_forward(std::ostream& out, const ForwardValidation& forward);

/// {"frames","late":{"recorded","predicted"},"p95_ms":{"recorded","predicted"}} of the drawn
/// halvings' mean; "every_other": the same of the fixed one; "halves_p95": [from, to], what the
/// halves themselves differ by.
[[nodiscard]] nlohmann::json to_json(const ForwardValidation& forward);

}  // namespace framegov::sim

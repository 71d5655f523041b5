// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "sim/devices/device_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// Frames that were predicted without knowing their work, beside what was recorded of them.
struct ForwardValidation {
  std::size_t frames = 0;  ///< predicted
  double recorded_late = 0;
  double predicted_late = 0;  ///< parts of these frames, 0 to 1
  double recorded_p95_ms = 0;
  double predicted_p95_ms = 0;

  [[nodiscard]] double late_error() const { return predicted_late - recorded_late; }
  [[nodiscard]] double p95_error() const {
    return recorded_p95_ms > 0 ? predicted_p95_ms / recorded_p95_ms - 1 : 0;
  }
};

/// Replays a recording at its recorded frequencies with every other frame of each app unknown: its
/// stages, GPU time and start are those of one of the sixteen known frames around it, by lot. What
/// is compared are distributions, over many such lots: how many frames are late, and the 95th
/// percentile of generation time. Fails as validate() does, and where there is no frame to draw
/// from.
[[nodiscard]] Result<ForwardValidation> validate_forward(const Workload& workload,
                                                         const DeviceModel& power);

void print_forward(std::ostream& out, const ForwardValidation& forward);

/// {"frames","late":{"recorded","predicted"},"p95_ms":{"recorded","predicted"}}
[[nodiscard]] nlohmann::json to_json(const ForwardValidation& forward);

}  // namespace framegov::sim

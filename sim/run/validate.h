// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "sim/devices/device_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// One recorded frame beside what the plant makes of it at the recorded frequencies.
struct ValidatedFrame {
  std::string app;
  double at_ms = 0;           ///< its vsync, from the first one
  double recorded_ms = 0;     ///< generation time
  double predicted_ms = 0;    ///< with the UI thread's start as recorded
  double usual_start_ms = 0;  ///< the same with a start that is fitted on other frames
  bool held_out = false;      ///< not one of these
  bool recorded_late = false;
  bool predicted_late = false;
  bool predicted_shown_late = false;  ///< taken from the queue after its turn
  std::optional<bool> platform_late;  ///< the platform's own label, of when it was shown
  /// Its buffer was taken at the vsync that SurfaceFlinger's counter tells, where one does.
  std::optional<bool> taken_as_recorded;
};

struct Validation {
  std::vector<ValidatedFrame> frames;
  double dispatch_ms = 0;  ///< fitted: median time from vsync to the UI thread's start
  /// From the first frame's vsync to the last one's end, of those made while rails were sampled.
  double seconds = 0;
  double predicted_cpu_mj = 0;         ///< over that time
  std::optional<double> rails_cpu_mj;  ///< of the phone's CPU power rails over the same time
  std::string rails;                   ///< which

  /// How many of the frames are what.
  struct Counts {
    std::size_t held_out = 0;
    std::size_t late_as_recorded = 0;  ///< late in both, or in neither
    std::size_t labelled = 0;          ///< by the platform
    std::size_t late_as_labelled = 0;
    std::size_t buffers = 0;  ///< whose time in the layer's queue SurfaceFlinger's counters tell
    std::size_t taken_as_recorded = 0;
  };
  [[nodiscard]] Counts counts() const;

  /// Relative error of generation time that a part `q` of the frames is not above.
  [[nodiscard]] double error(double q) const;
  /// The same of the held-out frames with the usual start; nothing when no frame was held out.
  [[nodiscard]] std::optional<double> usual_start_error(double q) const;
};

/// Replays a recording at the frequencies it recorded and compares.
///
/// A frame's work, its waits and its UI thread's start are the recording's; nothing is fitted.
/// Beside it the start is replaced with one number, the median over every other frame, the other
/// half held out: what is known of a frame before it begins. Power comes from `power`, by rank of
/// cluster and interpolated over frequency. Fails when the recording has no work or no frame whose
/// generation time is known.
[[nodiscard]] Result<Validation> validate(const Workload& workload, const DeviceModel& power);

void print_validation(std::ostream& out, const Validation& validation);

/// What print_validation() says below the frames, as numbers:
/// {"frames","seconds","generation_error":{"p50","p90"},
/// "usual_start":{"frames","dispatch_ms","generation_error"},
/// "late":{"as_recorded","labelled","as_labelled"},"buffers":{"counted","taken_as_recorded"},
/// "cpu_mj":{"predicted","rails","predicted_over_rails"}}. Errors are relative; "usual_start" is
/// null where no frame was held out, so are "rails" and the ratio to them where they are not known.
[[nodiscard]] nlohmann::json to_json(const Validation& validation);

}  // namespace framegov::sim

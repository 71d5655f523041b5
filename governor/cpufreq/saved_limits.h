// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/static_vector.h"
#include "base/units.h"

namespace framegov {

/// Name of the file, in the state folder, that outlives a service that was killed.
inline constexpr const char* kSavedLimitsFile = "saved_limits";
/// The same of a calibration, whose limits are not the service's to put back while it runs: it
/// holds the lock meanwhile.
inline constexpr const char* kCalibrationLimitsFile = "calibration_limits";
inline constexpr const char* kCalibrationLock = "calibration.lock";

/// What one cluster's scaling_min_freq and scaling_max_freq were before the service's first write.
struct SavedLimit {
  int cpufreq_id{};
  Frequency min;
  Frequency max;
  constexpr bool operator==(const SavedLimit&) const = default;
};

/// All that is to be put back. The boot id tells a file from before a reboot, which has itself
/// restored the limits.
struct SavedLimits {
  std::string boot_id;
  /// The service was finding out whose a maximum is, and wrote the hardware's for that: one above
  /// the saved one is not somebody else's.
  bool unmasking = false;
  StaticVector<SavedLimit, kMaxClusters> clusters;
};

/// The file's text (docs/operations.md has the format).
[[nodiscard]] std::string to_text(const SavedLimits& limits);

/// The inverse. Error (kBadInput) naming the line: another version, a malformed or missing line, a
/// cluster twice, a minimum above its maximum. `file` is its name, for that.
[[nodiscard]] Result<SavedLimits> parse_saved_limits(std::string_view text,
                                                     std::string_view file = kSavedLimitsFile);

}  // namespace framegov

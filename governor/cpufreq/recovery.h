// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// What was found of an earlier service that did not end by itself.
enum class Recovery : std::uint8_t {
  kNothing,   ///< no saved limits
  kStale,     ///< saved before a reboot, which has itself restored them: removed
  kRestored,  ///< the limits are back
  kFallback,  ///< the file could not be understood: every cluster was uncapped
};

/// Undoes what a killed service left: restores the saved limits of this boot and removes the file.
/// A file that cannot be understood is told as an error, and every cluster goes to its hardware
/// limits: uncapped is safe, capped by accident is not. It stays while a cluster's CPUs are
/// offline. Error: a cluster could not be written; the file stays for the next attempt, with those
/// clusters only. `file` is the one of the state folder.
[[nodiscard]] Result<Recovery> recover_limits(const CpufreqTree& tree, const StateDir& state_dir,
                                              std::string_view boot_id, Log& log,
                                              const char* file = kSavedLimitsFile);

/// The same of a calibration that was killed; one that runs is left alone.
[[nodiscard]] Status recover_calibration(const CpufreqTree& tree, const StateDir& state_dir,
                                         std::string_view boot_id, Log& log);

/// The kernel's id of this boot; "unknown" when it cannot be read.
[[nodiscard]] std::string read_boot_id(const std::filesystem::path& proc_root);

}  // namespace framegov

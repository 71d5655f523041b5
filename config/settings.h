// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/time.h"
#include "policy/policy_factory.h"
#include "probes/sources/source_choice.h"

namespace framegov {

enum class LogLevel : std::uint8_t { kError, kWarning, kInfo, kDebug };

/// How the service runs. Every path can be changed so that tests run on a tree of their own.
struct ServiceSettings {
  std::filesystem::path cpu_root = "/sys/devices/system/cpu";
  std::filesystem::path proc_root = "/proc";
  std::filesystem::path state_dir = "/data/adb/framegov";  ///< saved limits; mode 0700
  LogLevel log_level = LogLevel::kInfo;
  std::filesystem::path log_file;  ///< empty: stderr only
  /// Frames known to be running stop arriving for this long: caps are lifted.
  Duration fail_safe_after = std::chrono::milliseconds{500};
  /// A library is looked for at these paths in turn; the first that exists and has a site is used.
  std::vector<std::filesystem::path> hwui_libraries = {"/system/lib64/libhwui.so",
                                                       "/system/lib64/libandroid_runtime.so"};
  std::vector<std::filesystem::path> gui_libraries = {"/system/lib64/libgui.so"};
  SourceChoice source = SourceChoice::kAuto;              ///< of frames
  std::filesystem::path dumpsys = "/system/bin/dumpsys";  ///< the command
};

/// Everything a configuration file can set, with the values that hold without one. Immutable once
/// load_settings() has returned it.
struct Settings {
  std::string policy = "pid";
  PolicySettings policies;
  ServiceSettings service;
};

}  // namespace framegov

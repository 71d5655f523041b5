// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/profiles.h"
#include "policy/policy_factory.h"
#include "probes/sources/source_choice.h"

namespace framegov {

/// Whose frames are governed.
enum class ForegroundChoice : std::uint8_t {
  kAuto,  ///< the apps on top, where the phone tells them; else every process, each its own app
  kAll    ///< every process
};

enum class LogLevel : std::uint8_t { kError, kWarning, kInfo, kDebug };

/// A trace that the service writes while it runs; off without a file.
struct RecordSettings {
  std::filesystem::path file;
  std::uint64_t max_bytes = std::uint64_t{64} << 20U;
  bool operator==(const RecordSettings&) const = default;
};

/// A command for each slow frame; off without a command.
struct JankHookSettings {
  Duration threshold = std::chrono::microseconds{4000};  ///< generation time
  std::vector<std::string> command;                      ///< program (absolute path), arguments
  Duration at_most_every = std::chrono::milliseconds{100};
  Duration timeout = std::chrono::seconds{10};  ///< then it is killed
  bool operator==(const JankHookSettings&) const = default;
};

/// How the service runs. Every path can be changed so that tests run on a tree of their own.
struct ServiceSettings {
  std::filesystem::path cpu_root = "/sys/devices/system/cpu";
  std::filesystem::path proc_root = "/proc";
  std::filesystem::path sys_root = "/sys";  ///< where other frame engines are looked for
  std::filesystem::path state_dir = "/data/adb/framegov";  ///< saved limits; mode 0700
  std::filesystem::path profiles_dir;  ///< more profiles; empty: `profiles` in state_dir
  LogLevel log_level = LogLevel::kInfo;
  std::filesystem::path log_file;  ///< empty: stderr only
  /// Frames known to be running stop arriving for this long: caps are lifted.
  Duration fail_safe_after = std::chrono::milliseconds{500};
  /// A library is looked for at these paths in turn; the first that exists and has a site is used.
  std::vector<std::filesystem::path> hwui_libraries = {"/system/lib64/libhwui.so",
                                                       "/system/lib64/libandroid_runtime.so"};
  std::vector<std::filesystem::path> gui_libraries = {"/system/lib64/libgui.so"};
  /// Where apps tell how long their frames may take (ADPF, Android 13 and later).
  std::vector<std::filesystem::path> android_libraries = {"/system/lib64/libandroid.so"};
  SourceChoice source = SourceChoice::kAuto;  ///< of frames
  ForegroundChoice foreground = ForegroundChoice::kAuto;
  /// cgroups that hold the tasks of the apps on top; the first that is there is used.
  std::vector<std::filesystem::path> top_app_groups = {
      "/dev/cpuset/top-app", "/sys/fs/cgroup/top-app", "/dev/stune/top-app", "/dev/cpuctl/top-app"};
  /// Thermal zones and cooling devices; a folder without any: the kernel's limits alone count.
  std::filesystem::path thermal_root = "/sys/class/thermal";
  bool thermal_ceilings = true;  ///< come down before the kernel throttles
  /// Android's commands, asked where nothing better tells.
  std::filesystem::path dumpsys = "/system/bin/dumpsys";
  std::filesystem::path settings_command = "/system/bin/settings";
  std::filesystem::path getprop = "/system/bin/getprop";
  RecordSettings record;
  /// Name of the control socket in the abstract namespace; "none": no socket.
  std::string control_socket = "framegov";
  bool trace_marker = false;  ///< write counters into the kernel's trace while one is recorded
  bool operator==(const ServiceSettings&) const = default;
};

/// Where the values were written that profiles are laid over.
struct SettingOrigins {
  std::string policy = kBuiltIn;
  std::map<std::pair<std::string_view, std::string_view>, std::string> parameters;

  [[nodiscard]] std::string of(const PolicyKind& kind, const PolicyParameter& parameter) const {
    const auto found = parameters.find({kind.name, parameter.name});
    return found == parameters.end() ? kBuiltIn : found->second;
  }
};

/// Everything a configuration file can set, with the values that hold without one. Immutable once
/// load_settings() has returned it.
struct Settings {
  std::filesystem::path file;  ///< that they were read from; empty: built in
  std::string policy = "mpc";
  PolicySettings policies;
  ServiceSettings service;
  JankHookSettings jank_hook;
  Profiles profiles;
  SettingOrigins origins;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/confinement.h"

#include <string>

#include "base/file.h"
#include "governor/confinement/capabilities.h"
#include "governor/confinement/system_call_filter.h"
#include "governor/cpufreq/node_holders.h"
#include "probes/context/cycle_counter.h"
#include "probes/context/thread_clock.h"

namespace framegov {

namespace {

/// What Android's commands are started through: the shell of scripts, the loader of programs, and
/// `cmd`, which `settings` hands its arguments to.
constexpr const char* kInterpreters[] = {"/system/bin/sh", "/system/bin/cmd",
                                         "/system/bin/linker64", "/apex/com.android.runtime/bin",
                                         "/bin/sh"};
/// What they write to.
constexpr const char* kDevices[] = {"/dev/null",     "/dev/binder", "/dev/hwbinder",
                                    "/dev/binderfs", "/dev/ashmem", "/dev/pmsg0"};

Status confine_commands(const Settings& settings) {
  FRAMEGOV_TRY_STATUS(keep_only(command_capabilities(running_kernel())));
  // Nobody knows what the owner's command needs.
  if (settings.jank_hook.command.empty()) {
    FRAMEGOV_TRY_STATUS(confine_files(command_files(settings)));
  }
  // Old kernels are built without it; all else holds there too.
  (void)refuse_command_calls();
  return {};
}

Status confine_files_of(const FileAccess& needed, SourceKind source, Log& log) {
  if (source == SourceKind::kTracefs) {
    log.info("files-unconfined",
             "files are not confined: Landlock would keep FrameInfo from being read");
    return {};
  }
  FRAMEGOV_TRY(const auto confined, confine_files(needed));
  if (confined == FileConfinement::kNotInKernel) {
    log.info("files-unconfined", "files are not confined: the kernel has no Landlock");
  }
  return {};
}

/// How /proc hides others here, once the group that sees them is joined.
HiddenProcesses join_who_sees() {
  HiddenProcesses hidden =
      parse_hidden_processes(read_file("/proc/self/mountinfo", {}).value_or(std::string()));
  if (hidden.seen_by && !join(*hidden.seen_by)) {
    hidden.seen_by.reset();
  }
  return hidden;
}

}  // namespace

Errands service_errands(const Settings& settings) {
  const ServiceSettings& service = settings.service;
  const std::string dumpsys = service.dumpsys.string();
  const std::string asks = service.settings_command.string();
  Errands errands;
  errands.commands = {{{dumpsys, "activity", "activities"}},
                      {{dumpsys, "thermalservice"}},
                      {{dumpsys, "deviceidle", "get", "screen"}},
                      {{dumpsys, "SurfaceFlinger", "--list"}},
                      {{dumpsys, "SurfaceFlinger", "--latency"}, 1},
                      {{asks, "get", "secure", "default_input_method"}},
                      {{asks, "get", "global", "low_power"}},
                      holders_errand(service.proc_root, service.cpu_root)};
  if (!settings.jank_hook.command.empty()) {
    errands.commands.push_back({settings.jank_hook.command, 0, {}, true});
  }
  errands.counters = {kTaskClock};
  for (const CycleEvent& event : find_cycle_events()) {
    errands.counters.push_back(counter_of(event));
  }
  return errands;
}

Status hand_over_commands(const Settings& settings) {
  return start_command_runner(service_errands(settings),
                              [&settings] { return confine_commands(settings); });
}

FileAccess needed_files(const Settings& settings, const std::filesystem::path& trace_buffer) {
  const ServiceSettings& service = settings.service;
  FileAccess access;
  access.folders = {service.state_dir};
  for (const std::filesystem::path& file : {service.log_file, service.record.file}) {
    if (!file.empty()) {
      access.folders.push_back(file.parent_path());
    }
  }
  access.writable = {service.cpu_root / "cpufreq"};
  if (!trace_buffer.empty()) {
    access.writable.push_back(trace_buffer);
    access.emptied.push_back(trace_buffer.parent_path());  // Landlock asks the folder around it
  }
  return access;
}

FileAccess command_files(const Settings& settings) {
  FileAccess access;
  access.writable.assign(std::begin(kDevices), std::end(kDevices));
  access.programs = {settings.service.dumpsys, settings.service.settings_command};
  access.programs.insert(access.programs.end(), std::begin(kInterpreters), std::end(kInterpreters));
  return access;
}

Status confine(const Settings& settings, SourceKind source, const ThreadLevers& levers, Log& log,
               const std::filesystem::path& trace_buffer) {
  const CapabilitySet needed =
      service_capabilities(running_kernel(), source, join_who_sees(), levers.any());
  FRAMEGOV_TRY_STATUS(keep_only(needed));
  FRAMEGOV_TRY_STATUS(confine_files_of(needed_files(settings, trace_buffer), source, log));
  const MemoryReading reading =
      source == SourceKind::kTracefs ? MemoryReading::kAllowed : MemoryReading::kRefused;
  const ThreadSteering steering =
      levers.any() ? ThreadSteering::kAllowed : ThreadSteering::kRefused;
  if (Status filtered = allow_service_calls(reading, steering); !filtered) {
    // Old kernels are built without it; all else holds there too.
    log.info("no-seccomp", filtered.error().to_string());
  }
  log.info("capabilities", "capabilities: " + names_of(needed));
  return {};
}

}  // namespace framegov

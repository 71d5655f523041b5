// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/confinement.h"

#include "governor/confinement/capabilities.h"
#include "governor/confinement/system_call_filter.h"

namespace framegov {

namespace {

/// What Android's commands are started through: the shell of scripts, the loader of programs, and
/// `cmd`, which `settings` hands its arguments to.
constexpr const char* kInterpreters[] = {"/system/bin/sh", "/system/bin/cmd",
                                         "/system/bin/linker64", "/apex/com.android.runtime/bin",
                                         "/bin/sh"};
/// What they and tracefs sources write to.
constexpr const char* kDevices[] = {"/dev/null",     "/dev/binder", "/dev/hwbinder",
                                    "/dev/binderfs", "/dev/ashmem", "/dev/pmsg0"};
constexpr const char* kTracefs[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

Status confine_files_of(const Settings& settings, SourceKind source, Log& log) {
  if (source == SourceKind::kTracefs) {
    log.info("files are not confined: Landlock would keep FrameInfo from being read");
    return {};
  }
  if (!settings.jank_hook.command.empty()) {
    log.info("files are not confined: the command of jank_hook may write where it likes");
    return {};
  }
  const auto confined = confine_files(needed_files(settings));
  if (!confined) {
    return tl::unexpected(confined.error());
  }
  if (*confined == FileConfinement::kNotInKernel) {
    log.info("files are not confined: the kernel has no Landlock");
  }
  return {};
}

}  // namespace

FileAccess needed_files(const Settings& settings) {
  const ServiceSettings& service = settings.service;
  FileAccess access;
  access.folders = {service.state_dir};
  for (const std::filesystem::path& file : {service.log_file, service.record.file}) {
    if (!file.empty()) {
      access.folders.push_back(file.parent_path());
    }
  }
  access.writable = {service.cpu_root / "cpufreq"};
  access.writable.insert(access.writable.end(), std::begin(kDevices), std::end(kDevices));
  access.writable.insert(access.writable.end(), std::begin(kTracefs), std::end(kTracefs));
  access.programs = {service.dumpsys, service.settings_command};
  access.programs.insert(access.programs.end(), std::begin(kInterpreters), std::end(kInterpreters));
  return access;
}

Status confine(const Settings& settings, SourceKind source, Log& log) {
  const CapabilitySet needed = needed_capabilities(running_kernel());
  if (Status kept = keep_only(needed); !kept) {
    return kept;
  }
  if (Status confined = confine_files_of(settings, source, log); !confined) {
    return confined;
  }
  const MemoryReading reading =
      source == SourceKind::kTracefs ? MemoryReading::kAllowed : MemoryReading::kRefused;
  if (Status filtered = refuse_system_calls(reading); !filtered) {
    // Old kernels are built without it; all else holds there too.
    log.info(filtered.error().to_string());
  }
  log.info("capabilities: " + names_of(needed));
  return {};
}

}  // namespace framegov

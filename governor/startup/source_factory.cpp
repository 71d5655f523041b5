// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/source_factory.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <utility>

#include "base/file.h"
#include "governor/cpufreq/recovery.h"
#include "governor/profiles/profile_control.h"
#include "governor/state/state_dir.h"
#include "probes/locate/probe_table.h"
#include "probes/locate/site_cache.h"
#include "probes/sources/process_memory.h"
#include "probes/sources/surface_flinger_source.h"
#include "probes/sources/tracefs_source.h"
#include "probes/sources/uprobe_source.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

/// The first library of `paths` in which a site of `kind` is found. Without one: no sites, and why
/// in `notes`.
LibrarySites first_with(SiteKind kind, std::span<const fs::path> paths, const fs::path& cache,
                        const LocateOptions& options, std::string& notes) {
  for (const fs::path& path : paths) {
    auto found = locate_cached(path, cache, options);
    if (!found) {
      notes += (notes.empty() ? "" : "; ") + found.error().message;
      continue;
    }
    if (std::any_of(found->sites.begin(), found->sites.end(),
                    [kind](const ProbeSite& site) { return site.kind == kind; })) {
      notes.clear();  // which of the paths it is does not matter
      return *std::move(found);
    }
    notes += (notes.empty() ? "" : "; ") + path.string() + ": no site to probe";
  }
  return {};
}

/// A source with what it left out logged.
template <class Source>
Result<std::unique_ptr<FrameSource>> with_notes(Result<std::unique_ptr<Source>> source, Log& log) {
  FRAMEGOV_TRY(auto opened, std::move(source));
  for (const std::string& note : opened->notes()) {
    log.warning("source-note", note);
  }
  return opened;
}

Result<std::unique_ptr<FrameSource>> open_source(SourceKind kind, const PlanInput& input,
                                                 const ServiceSettings& settings,
                                                 const CpuTopology& topology, Log& log,
                                                 const SourceWishes& wishes) {
  const bool past_hints = input.kernel.refuses_hints();
  if (kind == SourceKind::kZygisk) {
    ZygiskOptions options;
    options.state_dir = settings.state_dir;
    options.watched = wishes.watched;
    FRAMEGOV_TRY(auto source, ZygiskSource::open(topology, options));
    return source;
  }
  if (kind == SourceKind::kSurfaceFlinger) {
    SurfaceFlingerOptions options;
    options.dumpsys = settings.dumpsys;
    options.proc = settings.proc_root;
    FRAMEGOV_TRY(auto source, SurfaceFlingerSource::open(topology, options));
    return source;
  }
  if (kind == SourceKind::kTracefs) {
    TracefsOptions options;
    options.tracefs = input.kernel.tracefs;
    options.watch_all = true;
    options.gpu = wishes.gpu;
    options.past_hints = past_hints;
    options.android = input.android;
    return with_notes(TracefsSource::open(input.hwui, input.gui, topology, options), log);
  }
  UprobeOptions options;
  options.transport =
      kind == SourceKind::kBpfRingBuffer ? BpfTransport::kRingBuffer : BpfTransport::kPerfBuffer;
  options.watch_all = true;
  options.gpu = wishes.gpu;
  options.past_hints = past_hints;
  options.android = input.android;
  return with_notes(UprobeSource::open(input.hwui, input.gui, topology, options), log);
}

}  // namespace

PlanInput survey_sources(const ServiceSettings& settings) {
  PlanInput input;
  input.kernel = detect_kernel_features({settings.proc_root, "/sys"});
  const std::string boot = read_boot_id(settings.proc_root);
  input.zygisk = !boot.empty() && first_line(settings.state_dir / kZygiskMark) == boot;
  input.dumpsys = ::access(settings.dumpsys.c_str(), X_OK) == 0;
  input.choice = settings.source;
  if (const auto memory = ProcessMemory::open(settings.proc_root); !memory) {
    input.no_memory = memory.error().to_string();
  }
  auto table = ProbeTable::shipped();
  if (!table) {
    input.no_hwui = input.no_gui = table.error().to_string();
    return input;
  }
  const LocateOptions options{*std::move(table)};
  const fs::path cache = settings.state_dir / "sites";
  input.hwui =
      first_with(SiteKind::kFrameInfo, settings.hwui_libraries, cache, options, input.no_hwui);
  input.gui =
      first_with(SiteKind::kQueueBuffer, settings.gui_libraries, cache, options, input.no_gui);
  std::string not_needed;
  input.android =
      first_with(SiteKind::kHintTarget, settings.android_libraries, cache, options, not_needed);
  return input;
}

Result<std::unique_ptr<FrameSource>> make_frame_source(const ServiceSettings& settings,
                                                       const CpuTopology& topology, Log& log,
                                                       const SourceWishes& wishes) {
  const PlanInput input = survey_sources(settings);
  const auto open = [&](SourceKind kind) {
    return open_source(kind, input, settings, topology, log, wishes);
  };
  FRAMEGOV_TRY(auto planned, open_planned(plan_sources(input), open));
  for (const std::string& missing : {input.no_hwui, input.no_gui}) {
    if (!missing.empty()) {
      log.info("not-probed", "not probed: " + missing);
    }
  }
  for (const std::string& line : reasons(planned.passed_over)) {
    log.info("frames-not-from", "frames not from " + line);
  }
  if (planned.source->kind() == SourceKind::kNone) {
    log.warning("no-frames",
                "no frames can be seen: nothing is capped; framegov doctor shows what is missing");
  } else {
    log.info("frames-from", "frames from " + std::string(source_name(planned.source->kind())));
  }
  return std::move(planned.source);
}

AppFilter governed_apps(const Settings& settings) {
  return [&settings](std::string_view package) {
    OwnerSwitches switches;
    if (const auto folder = StateDir::open(settings.service.state_dir)) {
      switches = OwnerSwitches::read(*folder).value_or(OwnerSwitches());
    }
    switches = switches.with_pause(std::nullopt).value_or(switches);
    const std::string mode = chosen_mode(settings, switches, package);
    return switched_profile(settings, switches, mode, package).enabled.value;
  };
}

}  // namespace framegov

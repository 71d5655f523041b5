// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/source_plan.h"

#include <algorithm>
#include <utility>

#include "probes/sources/no_source.h"

namespace framegov {
namespace {

constexpr std::array kLadder{SourceKind::kBpfRingBuffer,  SourceKind::kBpfPerfBuffer,
                             SourceKind::kTracefs,        SourceKind::kZygisk,
                             SourceKind::kSurfaceFlinger, SourceKind::kNone};

/// What every uprobe needs. Empty: nothing is missing.
std::string no_uprobes(const PlanInput& input) {
  if (!input.kernel.root) {
    return "uprobes need root";
  }
  if (input.hwui.sites.empty() && input.gui.sites.empty()) {
    return "neither libhwui nor libgui has a site to probe";
  }
  if ((input.dumpsys || input.zygisk) && !chosen_kind(input.choice) &&
      !probes_see_apps(input.hwui, input.gui)) {
    return "libhwui has no site and libgui none of a frame's start: only games would be seen";
  }
  return "";
}

std::string no_bpf(const KernelFeatures& kernel) {
  if (kernel.bpf == Support::kForbidden) {
    return "BPF is forbidden here";
  }
  if (kernel.bpf == Support::kNo) {
    return "the kernel refuses BPF programs for probes: " + kernel.bpf_refusal;
  }
  if (!kernel.uprobes()) {
    return "the kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
  }
  return "";
}

std::string no_tracefs(const PlanInput& input) {
  const KernelFeatures& kernel = input.kernel;
  if (kernel.tracefs.empty()) {
    return "tracefs is not mounted";
  }
  if (!kernel.uprobe_events) {
    return "tracefs has no uprobe_events (CONFIG_UPROBE_EVENTS)";
  }
  return kernel.trace_instances ? input.no_memory : "tracefs has no instances";
}

std::string why_not(SourceKind kind, const PlanInput& input) {
  const std::optional<SourceKind> chosen = chosen_kind(input.choice);
  if (chosen && *chosen != kind) {
    return "service.source is " + std::string(source_name(*chosen));
  }
  switch (kind) {
    case SourceKind::kBpfRingBuffer:
    case SourceKind::kBpfPerfBuffer: {
      std::string reason = no_uprobes(input);
      if (reason.empty()) {
        reason = no_bpf(input.kernel);
      }
      if (reason.empty() && kind == SourceKind::kBpfRingBuffer &&
          input.kernel.ring_buffer != Support::kYes) {
        reason = "Linux " + input.kernel.release.text + " has no BPF ring buffer (5.8)";
      }
      return reason;
    }
    case SourceKind::kTracefs: {
      const std::string reason = no_uprobes(input);
      return reason.empty() ? no_tracefs(input) : reason;
    }
    case SourceKind::kZygisk:
      return input.zygisk ? "" : "Zygisk has not loaded the module since the phone started";
    case SourceKind::kSurfaceFlinger:
      return input.dumpsys ? "" : "there is no dumpsys";
    case SourceKind::kNone:
    case SourceKind::kRecording:
      break;
  }
  return "";
}

bool has_site(const LibrarySites& library, SiteKind kind) {
  return std::any_of(library.sites.begin(), library.sites.end(),
                     [kind](const ProbeSite& site) { return site.kind == kind; });
}

}  // namespace

bool probes_see_apps(const LibrarySites& hwui, const LibrarySites& gui) {
  return has_site(hwui, SiteKind::kFrameInfo) ||
         (has_site(gui, SiteKind::kFrameStart) && has_site(gui, SiteKind::kQueueBuffer));
}

std::vector<Rung> plan_sources(const PlanInput& input) {
  std::vector<Rung> rungs;
  for (const SourceKind kind : kLadder) {
    std::string reason = kind == SourceKind::kNone ? "" : why_not(kind, input);
    rungs.push_back({kind, reason.empty(), std::move(reason)});
  }
  return rungs;
}

std::vector<std::string> reasons(const std::vector<Rung>& rungs) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    std::string names(source_name(rungs[i].kind));
    while (i + 1 < rungs.size() && rungs[i + 1].reason == rungs[i].reason) {
      names += ", " + std::string(source_name(rungs[++i].kind));
    }
    if (!rungs[i].usable) {
      lines.push_back(names + ": " + rungs[i].reason);
    }
  }
  return lines;
}

const Rung& best_rung(const std::vector<Rung>& rungs) {
  return *std::find_if(rungs.begin(), rungs.end(), [](const Rung& rung) { return rung.usable; });
}

Result<PlannedSource> open_planned(std::vector<Rung> rungs, const SourceOpener& open) {
  PlannedSource planned;
  for (Rung& rung : rungs) {
    if (rung.usable) {
      auto source = rung.kind == SourceKind::kNone ? NoSource::open() : open(rung.kind);
      if (source) {
        planned.source = *std::move(source);
        return planned;
      }
      if (rung.kind == SourceKind::kNone) {
        return tl::unexpected(source.error());
      }
      rung.usable = false;
      rung.reason = source.error().to_string();
    }
    planned.passed_over.push_back(std::move(rung));
  }
  return fail(ExitCode::kFailure, "no source of frames was planned");
}

}  // namespace framegov

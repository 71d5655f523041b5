// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "probes/context/kernel_features.h"
#include "probes/frame_source.h"
#include "probes/locate/probe_sites.h"
#include "probes/sources/source_choice.h"

namespace framegov {

/// What the plan goes by.
struct PlanInput {
  KernelFeatures kernel;
  LibrarySites hwui;      ///< without sites: none found, see no_hwui
  LibrarySites gui;       ///< without sites: none found, see no_gui
  LibrarySites android;   ///< of apps' own targets; without sites: games' are learned
  std::string no_hwui;    ///< why hwui has no sites
  std::string no_gui;     ///< why gui has no sites
  std::string no_memory;  ///< why apps' memory cannot be read, which tracefs needs
  bool zygisk = false;    ///< it has loaded the module in this boot
  bool dumpsys = false;   ///< the command is there
  SourceChoice choice{};
};

/// Do libraries with these sites give ordinary apps' frames: a record of each in libhwui, or its
/// start and its buffer in libgui? Without, probes see games only.
[[nodiscard]] bool probes_see_apps(const LibrarySites& hwui, const LibrarySites& gui);

/// One source that could be used, best first.
struct Rung {
  SourceKind kind{};
  bool usable = false;
  std::string reason;  ///< why not; empty when it is usable
};

/// The ladder: BPF ring buffer, perf event array, tracefs, Zygisk, SurfaceFlinger, none. The last
/// is always usable. A source that the user has chosen makes all others but none unusable. Else
/// probes that see games only give way to Zygisk or SurfaceFlinger, which see apps too.
[[nodiscard]] std::vector<Rung> plan_sources(const PlanInput& input);

/// Why rungs were passed over, those with the same reason together: "ringbuf, perf: ..." each.
[[nodiscard]] std::vector<std::string> reasons(const std::vector<Rung>& rungs);

/// The first usable rung.
[[nodiscard]] const Rung& best_rung(const std::vector<Rung>& rungs);

/// A source, and why it is none that stands higher.
struct PlannedSource {
  std::unique_ptr<FrameSource> source;
  std::vector<Rung> passed_over;
};

/// Makes the source of a kind; not called with kNone.
using SourceOpener = std::function<Result<std::unique_ptr<FrameSource>>(SourceKind)>;

/// Opens the first usable rung that can be opened. One that cannot be gets the error as its reason.
/// The last gives no frames: the service stays up, uncapped. Error: not even that.
[[nodiscard]] Result<PlannedSource> open_planned(std::vector<Rung> rungs, const SourceOpener& open);

}  // namespace framegov

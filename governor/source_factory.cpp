// SPDX-License-Identifier: Apache-2.0
#include "governor/source_factory.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include "probes/locate/probe_table.h"
#include "probes/locate/site_cache.h"
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
      return *std::move(found);
    }
    notes += (notes.empty() ? "" : "; ") + path.string() + ": no site to probe";
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<FrameSource>> make_frame_source(const ServiceSettings& settings,
                                                       const CpuTopology& topology) {
  auto table = ProbeTable::shipped();
  if (!table) {
    return tl::unexpected(table.error());
  }
  const LocateOptions options{*std::move(table)};
  const fs::path cache = settings.state_dir / "sites";
  std::string notes;
  const LibrarySites hwui =
      first_with(SiteKind::kFrameInfo, settings.hwui_libraries, cache, options, notes);
  const LibrarySites gui =
      first_with(SiteKind::kQueueBuffer, settings.gui_libraries, cache, options, notes);
  if (hwui.sites.empty() && gui.sites.empty()) {
    return fail(ExitCode::kUnsupported, "nothing to probe: " + notes,
                "run `framegov locate` on the phone's libhwui.so and libgui.so");
  }
  UprobeOptions uprobes;
  uprobes.watch_all = true;
  auto source = UprobeSource::open(hwui, gui, topology, uprobes);
  if (!source) {
    return tl::unexpected(source.error());
  }
  return *std::move(source);
}

}  // namespace framegov

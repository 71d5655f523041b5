// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "governor/doctor/findings.h"

namespace framegov {

namespace {

DoctorFinding library(const char* id, const LibrarySites& sites, const std::string& why_none,
                      const char* meaning) {
  if (sites.sites.empty()) {
    return {.id = id,
            .health = Health::kDegraded,
            .what = "nothing to probe: " + why_none,
            .meaning = meaning,
            .action = "service." + std::string(id == std::string_view("libhwui") ? "hwui" : "gui") +
                      "_libraries names the paths; framegov locate looks closer"};
  }
  std::string kinds;
  std::string_view last;
  for (const ProbeSite& site : sites.sites) {
    if (name_of(site.kind) != last) {
      last = name_of(site.kind);
      kinds += (kinds.empty() ? "" : ", ") + std::string(last);
    }
  }
  return {.id = id, .health = Health::kOk, .what = sites.library + ": " + kinds};
}

/// What a source that is not the best one costs.
const char* meaning_of(SourceKind kind) {
  switch (kind) {
    case SourceKind::kSurfaceFlinger:
      return "intervals between frames only, late: little can be saved";
    case SourceKind::kZygisk:
      return "frames of 64-bit apps that were started since the module was loaded";
    default:
      return "frames at more cost than through the ring buffer";
  }
}

DoctorFinding source(const PlanInput& input) {
  const std::vector<Rung> rungs = plan_sources(input);
  const Rung& best = best_rung(rungs);
  std::string passed_over;
  for (const std::string& line : reasons(rungs)) {
    passed_over += (passed_over.empty() ? "" : "; ") + line;
  }
  const std::string name(source_name(best.kind));
  if (best.kind == SourceKind::kNone) {
    return {.id = "source",
            .health = Health::kMissing,
            .what = name + " (" + passed_over + ")",
            .meaning = "no frames can be seen: nothing would be capped",
            .action = "the other lines say why",
            .needed = true};
  }
  if (best.kind == SourceKind::kBpfRingBuffer) {
    return {.id = "source", .health = Health::kOk, .what = name, .needed = true};
  }
  return {.id = "source",
          .health = Health::kDegraded,
          .what = name + " (" + passed_over + ")",
          .meaning = meaning_of(best.kind),
          .action = best.kind == SourceKind::kSurfaceFlinger && !input.kernel.uprobes()
                        ? "switch Zygisk on in the root manager and restart the phone: frames are "
                          "then seen from within the apps"
                        : "",
          .needed = true};
}

/// What becomes of ordinary apps' frames where libhwui has no site.
const char* apps_without_libhwui(const PlanInput& input) {
  if (probes_see_apps(input.hwui, input.gui)) {
    return "apps' frames are built from their start and their buffer";
  }
  switch (best_rung(plan_sources(input)).kind) {
    case SourceKind::kSurfaceFlinger:
      return "apps' frames are SurfaceFlinger's intervals only";
    case SourceKind::kZygisk:
      return "apps' frames are seen from within the apps (Zygisk)";
    case SourceKind::kNone:
      return "no frames are seen";
    default:
      return "games only: apps' frames are not seen";
  }
}

/// Whose frames are seen (docs/portability.md). Nothing where nobody's are.
std::optional<DoctorFinding> kinds(const PlanInput& input) {
  const auto seen = [](const char* what) {
    return DoctorFinding{.id = "frames", .health = Health::kOk, .what = what};
  };
  switch (best_rung(plan_sources(input)).kind) {
    case SourceKind::kNone:
      return std::nullopt;
    case SourceKind::kSurfaceFlinger:
      return seen("whatever draws, by the intervals between its frames");
    case SourceKind::kZygisk:
      return seen("views, Compose and games in 64-bit apps; not Chrome's pages");
    default:
      break;
  }
  if (input.gui.sites.empty()) {
    return seen("views and Compose in 64-bit apps; not games, Flutter or Chrome's pages");
  }
  return seen(probes_see_apps(input.hwui, input.gui)
                  ? "views, Compose, Flutter, Unity, Unreal and other games in 64-bit apps; not "
                    "Chrome's pages"
                  : "Flutter, Unity, Unreal and other games in 64-bit apps; not views or Chrome's "
                    "pages");
}

/// Where apps tell their own targets. Nothing depends on it: a game's is learned too.
DoctorFinding libandroid(const LibrarySites& sites) {
  return sites.sites.empty()
             ? DoctorFinding{.id = "libandroid",
                             .health = Health::kOk,
                             .what = "games' targets are learned: apps tell none (Android 13)"}
             : library("libandroid", sites, {}, "");
}

}  // namespace

std::vector<DoctorFinding> examine_sources(const PlanInput& input) {
  std::vector<DoctorFinding> findings = {
      library("libhwui", input.hwui, input.no_hwui, apps_without_libhwui(input)),
      library("libgui", input.gui, input.no_gui, "games and RenderThread's part are not seen"),
      libandroid(input.android), source(input)};
  if (auto seen = kinds(input)) {
    findings.push_back(*std::move(seen));
  }
  return findings;
}

}  // namespace framegov

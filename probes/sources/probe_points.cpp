// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/probe_points.h"

#include <algorithm>
#include <utility>

namespace framegov {
namespace {

const ProbeSite* best_site(const LibrarySites& library, SiteKind kind) {
  const auto found = std::find_if(library.sites.begin(), library.sites.end(),
                                  [&](const ProbeSite& site) { return site.kind == kind; });
  return found == library.sites.end() ? nullptr : &*found;
}

bool starts_with_hint(const ProbeSite& site) {
  return site.function_past_hints != 0 && site.function_past_hints != site.function;
}

std::uint64_t entry(const ProbeSite& site, bool past_hints) {
  return past_hints && starts_with_hint(site) ? site.function_past_hints : site.function;
}

}  // namespace

const char* name_of(ProbeRole role) {
  static constexpr std::array<const char*, kProbeRoles> kNames{
      "frame_info_return",     "frame_info_call",      "queue_buffer",
      "dequeue_buffer_return", "dequeue_buffer_enter", "frame_start",
      "frame_finished",        "hint_session",         "hint_target"};
  return kNames.at(static_cast<std::size_t>(role));
}

Result<ProbePoints> choose_probe_points(const LibrarySites& hwui, const LibrarySites& gui,
                                        const ProbePointOptions& options) {
  ProbePoints chosen;
  const auto add = [&](ProbeRole role, const LibrarySites& library, std::uint64_t offset,
                       bool needed) {
    chosen.points.push_back(
        {role, library.library, offset, role == ProbeRole::kDequeueBufferReturn, needed});
  };
  if (const ProbeSite* const site = best_site(hwui, SiteKind::kFrameInfo)) {
    chosen.frame_info = true;
    chosen.destination_register = site->destination_register;
    add(ProbeRole::kFrameInfoReturn, hwui, site->return_offset, true);
    add(ProbeRole::kFrameInfoCall, hwui, site->call, true);
  }
  if (const ProbeSite* const site = best_site(gui, SiteKind::kQueueBuffer)) {
    chosen.queue_buffer = true;
    add(ProbeRole::kQueueBuffer, gui, entry(*site, options.past_hints), true);
  }
  if (!chosen.frame_info && !chosen.queue_buffer) {
    return fail(ExitCode::kBadInput, "no site to probe is known in libhwui or libgui",
                "look with framegov locate LIBRARY");
  }
  if (const ProbeSite* const site = best_site(gui, SiteKind::kDequeueBuffer)) {
    // Behind paciasp the return address is signed already: a return probe there would put an
    // unsigned one in its place and the app would die at its autiasp.
    if (options.past_hints && starts_with_hint(*site)) {
      chosen.notes.push_back(gui.library +
                             ": dequeueBuffer is left out: it starts with a hint, on which this "
                             "kernel allows no probe; time blocked in it is not known");
    } else {
      add(ProbeRole::kDequeueBufferReturn, gui, site->function, false);
      add(ProbeRole::kDequeueBufferEnter, gui, site->function, false);
    }
  }
  if (const ProbeSite* const site = best_site(gui, SiteKind::kFrameStart)) {
    add(ProbeRole::kFrameStart, gui, entry(*site, options.past_hints), false);
  }
  const ProbeSite* const finished = best_site(hwui, SiteKind::kFrameFinished);
  if (finished != nullptr && options.gpu) {
    add(ProbeRole::kFrameFinished, hwui, entry(*finished, options.past_hints), false);
  }
  for (const auto& [kind, role] : {std::pair{SiteKind::kHintSession, ProbeRole::kHintSession},
                                   std::pair{SiteKind::kHintTarget, ProbeRole::kHintTarget}}) {
    if (const ProbeSite* const site = best_site(options.android, kind)) {
      add(role, options.android, entry(*site, options.past_hints), false);
    }
  }
  return chosen;
}

}  // namespace framegov

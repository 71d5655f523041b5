// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/import/frame_finder.h"

namespace framegov::sim {

/// Makes one frame of those of one RenderThread and one refresh, where RenderThread made some of
/// them by itself: another window's animation. Done when the last is, with the work of all. The
/// frames ascend by vsync, then by start, and still do afterwards.
void join_own_draws(std::vector<TraceFrame>& frames);

}  // namespace framegov::sim

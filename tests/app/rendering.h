// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/app/burner.h"
#include "tests/app/gui/surface.h"
#include "tests/app/recorder.h"

// What every thread that draws does, an app's as a game's.
namespace demo {

/// Names the calling thread and binds it to `cpus` (unless empty). Throws std::runtime_error.
void set_up_thread(const char* name, const std::vector<int>& cpus);

/// Dequeues, burns the work and queues, filling in the record's blocked and ready times.
void render_buffer(android::Surface& surface, const CpuSpeeds& speeds, double work,
                   FrameRecord& record);

}  // namespace demo

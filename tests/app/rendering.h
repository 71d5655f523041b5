// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <vector>

#include "tests/app/gui/surface.h"
#include "tests/app/recorder.h"

// What every thread that draws does, an app's as a game's.
namespace demo {

/// Names a thread and binds it to `cpus` (unless empty). Throws std::runtime_error.
void set_up_thread(pthread_t thread, const char* name, const std::vector<int>& cpus);

/// A buffer to draw into; notes in the record how long that blocked.
ANativeWindowBuffer* dequeue(android::Surface& surface, FrameRecord& record);

/// Hands the drawn buffer over; notes in the record when, and what CPU time the thread has used.
void queue(android::Surface& surface, ANativeWindowBuffer* buffer, FrameRecord& record);

}  // namespace demo

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "init/zygisk/zygisk_api.h"
#include "probes/sources/app_ring.h"

namespace framegov::zygisk {

/// Puts the module's functions before those that make frames: the hand-over of a UI thread (JNI),
/// and, where libgui's own table has them, the buffers of every window. They write into `ring` and
/// wake by `wake`, and always call what they stand before; a process that the app forks writes
/// nothing. For good: there is no way back while the process lives.
/// False: this Android hands frames over in a way that is not known, and nothing has been replaced.
[[nodiscard]] bool hook_frames(Api& api, JniEnv* env, AppRing* ring, int wake);

/// From now on they only call what they stand before.
void write_no_more();

}  // namespace framegov::zygisk

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/app/options.h"

namespace demo {

enum class UserEvent : std::uint8_t { kNone, kTouch, kBurst };

/// What the scene asks for at one vsync. Work is in parts of what the fastest core at its top
/// frequency does in one refresh interval (a game: in one interval of its own rate).
struct SceneStep {
  bool frame = false;
  UserEvent event = UserEvent::kNone;
  double ui_work = 0;
  double render_work = 0;
};

/// One step for each vsync of the scene. The same options give the same steps: what is asked for at
/// a moment does not depend on how the frames before it went. At vsyncs without a frame the work
/// is set all the same, for a frame that comes late.
std::vector<SceneStep> make_scene(const Options& options);

}  // namespace demo

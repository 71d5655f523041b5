// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/app/zygote.h"

namespace demo {

enum class SceneKind : std::uint8_t { kStill, kScroll, kFling, kGame, kJank };

struct Options {
  SceneKind scene = SceneKind::kScroll;
  int hz = 60;          ///< refresh rate of the display
  int fps = 60;         ///< of a game
  int then_fps = 0;     ///< of a game from the middle of the scene on; 0: as before
  bool hints = false;   ///< a game tells its target through libandroid
  int overlay_fps = 0;  ///< of a second surface; 0: none
  double seconds = 10;
  double lead = 0.05;  ///< seconds from the launch to the first vsync
  std::uint64_t seed = 1;
  int frame_info_size = 12;
  int unmapped = 0;  ///< every so many frames, FrameInfo is nowhere; 0: never
  int forge = 0;     ///< every so many frames, FrameInfo tells times that cannot be true; 0: never
  ZygiskOptions zygisk;
  std::string record_path;
  bool live = false;
  std::string events_path;  ///< empty: standard output
  std::string cpu_root = "/sys/devices/system/cpu";
  std::int64_t fixed_khz = 0;  ///< nonzero: every CPU has this speed, nothing is read
  std::vector<int> ui_cpus;    ///< empty: any
  std::vector<int> render_cpus;
};

/// Parses the command line; leaves the program on --help and on errors (exit code 2).
Options parse_options(int argc, char** argv);

}  // namespace demo

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "base/frame.h"
#include "sim/plant/random.h"
#include "sim/plant/world.h"

namespace framegov::sim {

/// What the service's reading of CPU times and frequencies makes of a frame
/// (docs/decisions/cpu-time.md): the frequency is sampled, so that the work comes out wrong by a
/// part, and where only scheduler ticks bring CPU times up to date, RenderThread's at its buffer is
/// as old as the last one, and what is missing comes with its next frame.
class ProbeNoise {
 public:
  ProbeNoise(const World& world, double tick_ns)
      : deviation_(world.work_noise),
        tick_ns_(world.work_at_ticks ? tick_ns : 0),
        random_(world.seed * 7 + 2) {}

  void add_to(Frame& frame) {
    if (deviation_ > 0) {
      const double off = std::clamp(random_.normal(), -kWidest, kWidest) * deviation_;
      frame.frequency = frame.frequency * (1 + std::max(off, kLeast - 1));
    }
    if (tick_ns_ > 0) {
      const auto ran = static_cast<double>(frame.render_cpu_time.count());
      const double behind = std::min(tick_ns_, ran) * random_.uniform();
      frame.render_cpu_time = Duration{static_cast<Duration::rep>(ran + behind_ns_ - behind)};
      behind_ns_ = behind;
    }
  }

 private:
  static constexpr double kWidest = 2.5;  ///< deviations
  static constexpr double kLeast = 0.1;   ///< of the frequency

  double deviation_;
  double tick_ns_;
  double behind_ns_ = 0;
  Random random_;
};

}  // namespace framegov::sim

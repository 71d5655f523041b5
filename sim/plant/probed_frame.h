// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/frame.h"
#include "base/time.h"
#include "probes/games/game_surfaces.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/frame_pipeline.h"

namespace framegov::sim {

/// The plant's time (ns) as an Instant.
[[nodiscard]] inline Instant plant_instant(double ns) {
  return instant_from_ns(static_cast<std::int64_t>(ns + 0.5));
}

/// CPU of the UI thread (first of the cluster) or of RenderThread (the next, where there is one).
[[nodiscard]] inline std::int16_t cpu_of(const ClusterTable& table, bool second) {
  return static_cast<std::int16_t>(table.first_cpu + (second && table.cpu_count > 1 ? 1 : 0));
}

/// Frame::late() of as_probed().
[[nodiscard]] inline bool probed_late(const PipelineFrame& frame) {
  const Instant deadline = plant_instant(frame.load.deadline);
  return is_known(deadline) && plant_instant(frame.ready) > deadline;
}

/// Whose frame begins, and on which cluster; when is for the caller to say.
[[nodiscard]] FrameStart start_on(std::int8_t cluster, const PipelineFrame& frame,
                                  const DeviceTables& tables);

/// The frame as the probes would hand it to the policy.
[[nodiscard]] Frame as_probed(const PipelineFrame& frame, const DeviceTables& tables);

/// A game's frames as the probes find them, by its buffers alone: from one to the next, with the
/// wait for one in them, held to the pace that the game keeps (GameSurfaces, the service's own).
class ProbedGame {
 public:
  /// Nothing where the probes would not tell of it: nobody knows when an app's first frame began.
  [[nodiscard]] std::optional<Frame> on_queue(const PipelineFrame& frame,
                                              const DeviceTables& tables);
  /// It has got a buffer. True when it had to wait for it.
  bool on_dequeue(const PipelineFrame& frame, double now);
  /// What the probes tell of the frame under way, after either; nothing while they cannot.
  [[nodiscard]] std::optional<FrameStart> start(const PipelineFrame& frame,
                                                const DeviceTables& tables);

 private:
  void see(std::uint32_t app);

  std::uint32_t app_ = 0;
  GameSurfaces surfaces_;
  Instant queued_;  ///< the last buffer
};

}  // namespace framegov::sim

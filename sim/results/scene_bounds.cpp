// SPDX-License-Identifier: Apache-2.0
#include "sim/results/scene_bounds.h"

#include <cmath>

#include "sim/bounds/input_bounds.h"

namespace framegov::sim {

std::uint64_t most_frames(const ReplayInput& input) {
  if (const auto* workload = std::get_if<std::shared_ptr<const Workload>>(&input.load)) {
    return (*workload)->frames.size();
  }
  const auto& synthetic = std::get<SyntheticSettings>(input.load);
  return static_cast<std::uint64_t>(std::ceil(synthetic.seconds * synthetic.refresh_hz));
}

SceneBounds scene_bounds(const ReplayInput& input, const ReplayDevice& device, const World& world) {
  const ReplayScene scene(input, device, DeadlineMode::kStrict, world);
  const InputBounds bounds =
      input_bounds(*scene.open(), device.tables, OthersWork::kMayWait,
                   world.moves_threads() ? FrameClusters::kAny : FrameClusters::kRecorded);
  return {input.name,         device.name,      bounds.strict_mj,
          bounds.buffered_mj, bounds.frames_mj, bounds.dp_mj};
}

}  // namespace framegov::sim

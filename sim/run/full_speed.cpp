// SPDX-License-Identifier: Apache-2.0
#include "sim/run/full_speed.h"

#include <memory>

namespace framegov::sim {

namespace {

constexpr const char* kFullSpeedPolicy = "performance";

class LateFrames final : public PlantObserver {
 public:
  explicit LateFrames(FullSpeed::Late& late) : late_(&late) {}
  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override {
    if (frame.load.app >= late_->size()) {
      late_->resize(frame.load.app + std::size_t{1});
    }
    (*late_)[frame.load.app].push_back(verdict.late && !verdict.stuffed);
  }

 private:
  FullSpeed::Late* late_;
};

}  // namespace

const FullSpeed::Late& FullSpeed::late(const ReplayScene& scene, const ReplaySettings& settings) {
  std::call_once(once_, [&] {
    LateFrames observer(late_);
    (void)replay(scene, **find_policy(kFullSpeedPolicy), settings, &observer);
  });
  return late_;
}

bool AvoidableMisses::is_avoidable(const PipelineFrame& frame, FrameVerdict verdict) {
  const std::size_t app = frame.load.app;
  const std::size_t index = next_[app]++;
  return verdict.missed() && !(*full_speed_)[app][index];
}

RunResult replay_beside(FullSpeed& full_speed, const ReplayScene& scene, const PolicyEntry& policy,
                        const ReplaySettings& settings) {
  if (!settings.world().moves_threads() || settings.plant.drop_late) {
    return replay(scene, policy, settings);
  }
  AvoidableMisses avoidable(full_speed.late(scene, settings));
  RunResult result = replay(scene, policy, settings, &avoidable);
  result.avoidable = avoidable.count();
  return result;
}

}  // namespace framegov::sim

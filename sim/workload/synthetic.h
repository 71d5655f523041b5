// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"
#include "sim/plant/random.h"
#include "sim/workload/deadline_mode.h"
#include "sim/workload/other_util.h"

namespace framegov::sim {

/// A generated workload. Its frames are worth the same CoreMark iterations on every phone.
///
/// The figures are medians over the apps of the given recordings (eight wipe-v2 scenes, three
/// systraces) that fit_generator.py prints; docs/simulator/generator.md has them beside what is
/// generated. What the scenes fling, still and mixed do is made up, their frames are not.
struct SyntheticSettings {
  enum class Scene : std::uint8_t { kScroll, kFling, kStill, kMixed };
  Scene scene = Scene::kScroll;
  double refresh_hz = 60;
  double seconds = 60;
  std::uint64_t seed = 1;

  double median_ms = 2.03;    ///< median work of a frame, on the nominal core
  double deviation = 0.63;    ///< standard deviation of log work
  double correlation = 0.67;  ///< AR(1) of log work from frame to frame
  double first_frame = 1.26;  ///< the first of a phase, times this
  double skipped = 0.04;      ///< of the refreshes within a phase, without a frame
  double ui_share = 0.37;     ///< of the work: mean over the frames of the two apps that tell it
  double ui_share_deviation = 0.10;

  /// As apps are at this refresh rate: above is what they are at 60 Hz. Faster displays have those
  /// of 90 Hz, with as much work in a frame.
  [[nodiscard]] static SyntheticSettings at(double refresh_hz) {
    SyntheticSettings settings;
    settings.refresh_hz = refresh_hz;
    if (refresh_hz >= 75) {
      settings.median_ms = 1.41;
      settings.deviation = 0.20;
      settings.correlation = 0.21;
    }
    return settings;
  }
};

/// "synthetic:SCENE@HZ:SECONDS[s]", e.g. "synthetic:fling@120:600s"; scenes: scroll, fling, still,
/// mixed. The seed is the caller's.
[[nodiscard]] Result<SyntheticSettings> parse_synthetic(std::string_view text);
[[nodiscard]] inline bool is_synthetic(std::string_view text) {
  return text.starts_with("synthetic:");
}

/// Phases of frames at nearly every vsync (a finger or a fling moves the content), pauses without
/// frames, AR(1) lognormal work, heavier first frames, a touch at the start of each phase, and a
/// light load of others. The same settings give the same frames everywhere; nothing is stored.
class SyntheticSource final : public FittedSource {
 public:
  SyntheticSource(const SyntheticSettings& settings, const DeviceTables& tables, DeadlineMode mode);

  bool next_frame(FittedFrame& frame) override;
  bool next_touch(double& at) override;
  bool next_boost(double& from, double& until) override;
  std::span<const FittedLoad> next_load(double& at) override;

 private:
  /// The phases alone; frames, touches and interactions walk them apart, from the same seed.
  class Phases {
   public:
    explicit Phases(const SyntheticSettings& settings);
    void next();
    double begin = 0;  ///< ns from the start
    double end = 0;    ///< no frame at or after it
    double every = 1;  ///< intervals between frames

   private:
    SyntheticSettings::Scene scene_;
    Random random_;
  };

  SyntheticSettings settings_;
  DeadlineMode mode_;
  double interval_;
  double end_;
  double nominal_;  ///< ns on the nominal core to ns at the phone's reference speed
  std::int8_t cluster_;
  std::size_t other_cluster_;
  double other_capacity_;
  Random random_;
  Phases frames_;
  Phases touches_;
  Phases interactions_;
  double at_ = 0;
  double log_work_ = 0;
  bool first_of_phase_ = true;
  double first_vsync_ = 0;  ///< ns
  double next_load_ = 0;
  OtherUtil other_util_;
  std::array<std::array<FittedLoad, kMaxClusters>, 2> loads_{};  ///< in turns
  std::size_t turn_ = 0;
  std::size_t clusters_ = 0;
  Random load_random_;
};

}  // namespace framegov::sim

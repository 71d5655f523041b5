// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/policy.h"

namespace framegov::sim {

/// Bit c: one of the frame's threads ran on cluster c.
[[nodiscard]] std::uint32_t thread_clusters(const CpuTopology& topology, const Frame& frame);

/// CPU time of both threads, each at the speed of its cluster, of the frame that has just ended:
/// what engines in the kernel count as capacity x time.
[[nodiscard]] Work thread_work(const CpuTopology& topology, const PolicyInput& input);

/// Both threads' utilisation is clamped so; `after` so long since the frame's start.
void clamp_threads(const ThreadPlan& hold, FrequencyPlan& plan);
void clamp_threads_after(Duration after, const ThreadPlan& hold, FrequencyPlan& plan);

/// A floor of `speed`, rounded up to an OPP, on each cluster of `clusters` (bits): where the kernel
/// has no clamps, which would go where the thread goes. It stays on the clusters that the last
/// frame's threads ran on.
void set_floors(const CpuTopology& topology, std::uint32_t clusters, Speed speed,
                FrequencyPlan& plan);

/// After so many periods without a frame an engine lets go of what it asked for. No description
/// says when; left in force it would burn at a still screen for good.
inline constexpr int kStillPeriods = 4;

/// The frames that have begun and not ended.
class FramesUnderWay {
 public:
  void begin(const FrameStart& start) {
    // A frame that was lost must not stand for good.
    constexpr int kMost = 3;
    count_ = std::min(kMost, start.replaces_last ? std::max(count_, 1) : count_ + 1);
  }
  void end() { count_ = std::max(0, count_ - 1); }
  void forget() { count_ = 0; }
  [[nodiscard]] bool any() const { return count_ > 0; }

 private:
  int count_ = 0;
};

/// The frames of an engine that asks for something while they come and lets go at a still screen.
class EngineFrames {
 public:
  /// True where a frame has ended, which the engine may learn from; its period is known then.
  bool on_step(const PolicyInput& input);
  [[nodiscard]] bool under_way() const { return under_way_.any(); }
  /// Of the last frame that has ended.
  [[nodiscard]] Duration period() const { return period_; }
  /// Frames have come, and come yet: something is asked for.
  [[nodiscard]] bool are_made() const { return is_known(still_at_) && period_ > Duration::zero(); }
  /// When the engine lets go unless a frame comes; zero where it has.
  [[nodiscard]] Instant still_at() const { return still_at_; }

 private:
  FramesUnderWay under_way_;
  Duration period_{};
  Instant still_at_;
};

}  // namespace framegov::sim

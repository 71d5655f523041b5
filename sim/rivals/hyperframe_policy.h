// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/policy.h"
#include "sim/rivals/frame_threads.h"

namespace framegov::sim {

/// Xiaomi's hyperframe as its behaviour is described. Across frames: the load (capacity x time of
/// both threads) is averaged, 3/8 new and 5/8 old, and over the period it is the capacity that each
/// frame's cluster is held to, at least and at most. Within a frame: timers at 3/8, 6/8 and 9/8 of
/// the period raise the danger level; the end of the record stage (the hand-over to RenderThread)
/// cancels those still pending.
///
/// Left open there and chosen here: the most is schedutil's 1.25 of the least, and each level is a
/// third of the way from the least to the top; after four periods without a frame nothing is asked
/// for. A policy is not told of the hand-over. So a timer is left out where a frame like the last
/// ones would be between its hand-over and its end.
class HyperframePolicy final : public Policy {
 public:
  explicit HyperframePolicy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override { return frames_.still_at(); }
  [[nodiscard]] std::string_view name() const override { return "hyperframe"; }

  /// Mean work of a frame.
  [[nodiscard]] Work load() const { return load_; }

 private:
  void learn(const PolicyInput& input);
  struct Band {
    Speed least;
    Speed most;
  };
  [[nodiscard]] Band band(int danger) const;
  /// The band of `danger`, `after` so long since the frame's start; of 0 at once.
  void ask(const PolicyInput& input, Duration after, int danger);

  CpuTopology topology_;
  EngineFrames frames_;
  bool has_frames_ = false;
  Work load_;
  double record_s_ = 0;  ///< mean time from a frame's start to its hand-over
  double ready_s_ = 0;   ///< and to its end
  std::uint32_t clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <utility>

#include "policy/policy.h"

namespace framegov::sim {

/// Pixel's libperfmgr as it is now: adpf's PID, and a jank level that moves the floor and the
/// ceiling of uclamp.min. Of the last 30 reports, two that took longer than the target are
/// moderate, four severe. Moderate lies between two ends in proportion to the misses, severe is the
/// upper end and halves the gain downwards. It falls back to light only where the longest report is
/// under four times the mean, is always light under 25 frames a second, and starts over with
/// another target. A session that has gone stale (15 targets) resumes at its first frame's start
/// with 480 for half of that time.
///
/// Constants are those of a public powerhint.json for Qualcomm phones (LineageOS' libperfmgr). The
/// part for the GPU is not in it, and no app says that its work will grow.
class Adpf2Policy final : public Policy {
 public:
  enum class Jank : std::uint8_t { kLight, kModerate, kSevere };

  explicit Adpf2Policy(const CpuTopology& topology) : topology_(topology) {}

  [[nodiscard]] const FrequencyPlan& step(const PolicyInput& input) override;
  [[nodiscard]] Instant wake_at() const override;
  [[nodiscard]] std::string_view name() const override { return "adpf2"; }

  /// uclamp.min of the PID, of 1024; 0 when the session is stale or has not begun.
  [[nodiscard]] int uclamp_min() const { return uclamp_min_; }
  [[nodiscard]] Jank jank() const { return jank_; }

 private:
  void on_report(const Frame& frame);
  void judge_jank();
  [[nodiscard]] double last_fps() const;

  static constexpr std::size_t kRecords = 30;

  CpuTopology topology_;
  int uclamp_min_ = 0;
  double last_error_ = 0;
  bool has_last_error_ = false;
  Duration target_{};
  std::array<Duration, kRecords> durations_{};
  std::array<Instant, kRecords> ready_{};
  std::size_t reports_ = 0;
  int misses_ = 0;
  Jank jank_ = Jank::kLight;
  Instant stale_at_;
  Instant resume_until_;
  std::uint32_t clusters_ = 0;
  FrequencyPlan plan_;
};

}  // namespace framegov::sim

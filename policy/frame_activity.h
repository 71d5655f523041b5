// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/time.h"
#include "policy/recent_clusters.h"

namespace framegov {

/// Whether frames are being made, by which clusters, and how much time each has: what every policy
/// needs to know before it decides anything.
class FrameActivity {
 public:
  enum class State : std::uint8_t {
    kStarting,  ///< too few frames seen since the app changed
    kStill,     ///< none for a while
    kMaking,    ///< frames are being made
    kLost,      ///< the last frame was not understood: what is known of the others may not hold
  };

  /// The topology must outlive this object.
  FrameActivity(const CpuTopology& topology, int still_after_intervals);

  /// A frame begins. Returns true when it is the first after a still screen.
  bool on_start(Instant now, const FrameStart& start);

  /// What a policy must know of a frame that has ended.
  struct Ended {
    bool understood = false;  ///< false: no budget, or ready before it began; lost until one is
    bool first_after_still = false;  ///< the first after a still screen, or of an app
    bool governed = false;           ///< it ran under a plan, not uncapped
    bool elsewhere = false;  ///< its critical part ran on a cluster that the plan had no speed for
    Duration planned_budget{};  ///< budget() until it ended
  };
  Ended on_frame(const Frame& frame, Instant now);

  /// The timer of wake_at() fired: the screen is still.
  void on_timer();

  /// Another app, of whose frames nothing is known: the cluster and the time of the last one stand
  /// until it has made some.
  void reset();
  /// The same app, back after others' frames: what is known of it still holds. Its next frame is
  /// the first after a still screen.
  void resume();

  [[nodiscard]] State state() const { return state_; }
  /// When the screen will count as still; zero when nothing is awaited.
  [[nodiscard]] Instant wake_at() const { return wake_at_; }
  /// The cluster of the critical part; the fastest one before any frame told.
  [[nodiscard]] std::size_t cluster() const { return cluster_; }
  /// Bit i: cluster i runs some part of the frame, or did of one of the last few.
  [[nodiscard]] std::uint32_t clusters() const { return clusters_; }
  /// Where the last frame's UI thread and RenderThread ran, if on different clusters.
  struct Split {
    std::size_t ui;
    std::size_t render;
  };
  [[nodiscard]] const std::optional<Split>& split() const { return split_; }
  /// As bits; none where one cluster ran both.
  [[nodiscard]] std::uint32_t split_clusters() const {
    return split_ ? 1U << split_->ui | 1U << split_->render : 0U;
  }
  /// Bit i: cluster i has run one of the last thousand frames. The scheduler may move their threads
  /// there again, and nobody is told before they are ready.
  [[nodiscard]] std::uint32_t visited() const { return recent_.visited(); }
  /// Part of the frames of late that ran on cluster `i`.
  [[nodiscard]] double chance(std::size_t i) const { return recent_.chance(i); }
  /// What to ask for while there is no plan yet. Still: nothing. Starting: no cap, and the top
  /// speed for the clusters that make the first frames, because the kernel's governor would be late
  /// for them and a pipeline that begins late stays late. Lost: nothing.
  void ask_unplanned(FrequencyPlan& plan) const;
  /// When the frame began that had not ended as the same thread began the newest one: RenderThread
  /// was still at it, and is until it ends. Zero where there is none.
  [[nodiscard]] Instant holding_up() const { return holding_up_; }
  /// Time from a frame's vsync to its deadline, the least of the last few; a game's, from its
  /// buffer, the last one's. Zero before the first frame.
  [[nodiscard]] Duration budget() const { return budget_; }

 private:
  /// Frames watched before the first cap: enough to know the demand, too few to be felt.
  static constexpr int kStartFrames = 3;
  static constexpr Duration kLong = std::chrono::hours{1};
  /// Until a frame has told.
  static constexpr Duration kAssumedInterval = std::chrono::nanoseconds{16'666'667};

  [[nodiscard]] bool is_cluster(int index) const;
  /// The bit of the cluster that a CPU belongs to; none where it is not known.
  [[nodiscard]] std::uint32_t bit_of(int cpu) const {
    return cpu >= 0 && static_cast<std::size_t>(cpu) < kMaxCpus
               ? bit_of_cpu_[static_cast<std::size_t>(cpu)]
               : 0U;
  }

  const CpuTopology& topology_;
  int still_after_intervals_;
  State state_ = State::kStarting;
  int frames_ = 0;
  bool first_after_still_ = true;
  Instant wake_at_;
  Instant last_start_;
  Instant newest_began_;         ///< of the frame that started then
  std::int32_t newest_tid_ = 0;  ///< the thread that began it
  bool newest_unended_ = false;
  Instant holding_up_;
  std::size_t cluster_;
  std::uint32_t clusters_ = 0;
  std::optional<Split> split_;
  RecentClusters recent_;
  std::array<std::uint8_t, kMaxCpus> bit_of_cpu_{};
  Duration interval_ = kAssumedInterval;
  std::array<Duration, 3> budgets_{kLong, kLong, kLong};  ///< newest first
  Duration budget_{};
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/cpu_topology.h"
#include "base/published.h"
#include "base/unique_fd.h"
#include "governor/control/second_meter.h"
#include "governor/control/service_facts.h"
#include "governor/cpufreq/power_model.h"
#include "governor/observers/service_observer.h"

namespace framegov {

/// What the loop tells the control thread, and the only thing that the two share.
///
/// The observer's functions are the loop's: they store plain values, never wait, never allocate,
/// and make no system call but, once in a while, one write to an eventfd. Everything else may be
/// called from any thread.
class ControlFeed final : public ServiceObserver {
 public:
  using Clock = Instant (*)();

  static constexpr std::size_t kFrames = 256;
  static constexpr std::size_t kDecisions = 256;
  static constexpr std::size_t kSlices = 64;
  static constexpr std::size_t kSeconds = 64;

  /// `power`: how that of `topology` is known.
  ControlFeed(const CpuTopology& topology, Clock clock, PowerKnowledge power = {});

  void on_frame(const Frame& frame, std::string_view app, Instant now) override;
  void on_app(AppId app, std::string_view name, Instant now) override;
  void on_decision(const Decision& decision) override;
  void on_frequencies(std::span<const Frequency>, Instant) override {}
  void on_step(const StepReport& report) override;
  void on_end() override { close_slices(); }

  [[nodiscard]] const CpuTopology& topology() const { return topology_; }
  [[nodiscard]] const PowerKnowledge& power() const { return power_; }
  [[nodiscard]] const Published<ServiceSnapshot>& snapshot() const { return snapshot_; }
  [[nodiscard]] const PublishedRing<FrameRecord, kFrames>& frames() const { return frames_; }
  [[nodiscard]] const PublishedRing<DecisionRecord, kDecisions>& decisions() const {
    return decisions_;
  }
  [[nodiscard]] const PublishedRing<UsageSlice, kSlices>& usage() const { return usage_; }

  /// Those with frames, but for the last.
  [[nodiscard]] const PublishedRing<SecondRecord, kSeconds>& seconds() const { return seconds_; }
  /// The one that goes on, as of the last step.
  [[nodiscard]] const Published<SecondRecord>& open_second() const { return open_second_; }
  /// Readable when there is usage that should be stored soon.
  [[nodiscard]] int usage_fd() const { return usage_waits_.get(); }

 private:
  /// Usage of one app that the ring has not been told yet.
  struct OpenSlice {
    UsageSlice usage;
    Instant began;
  };
  /// In split screen two apps take turns frame by frame.
  static constexpr std::size_t kOpen = 2;

  [[nodiscard]] OpenSlice& slice_of(std::string_view app, Instant now);
  void close(OpenSlice& slice);
  void turn_seconds(Instant now);
  void close_slices();
  [[nodiscard]] Energy energy_of(const Frame& frame) const;

  CpuTopology topology_;
  PowerKnowledge power_;
  Clock clock_;
  Published<ServiceSnapshot> snapshot_;
  PublishedRing<FrameRecord, kFrames> frames_;
  PublishedRing<DecisionRecord, kDecisions> decisions_;
  PublishedRing<UsageSlice, kSlices> usage_;
  PublishedRing<SecondRecord, kSeconds> seconds_;
  Published<SecondRecord> open_second_;
  UniqueFd usage_waits_;

  // The loop's own.
  ServiceSnapshot now_;
  SecondMeter meter_;
  std::array<OpenSlice, kOpen> open_;
  Instant told_at_;               ///< when usage_fd() was last made readable
  std::uint64_t told_count_ = 0;  ///< slices by then
  Instant unwritten_;  ///< readiness of the newest frame whose limits are not yet written
  std::uint64_t writes_ = 0;
};

}  // namespace framegov

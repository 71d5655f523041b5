// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "governor/control/service_facts.h"

namespace framegov {

/// The lowest and the highest of some frequencies; zero: there were none.
struct FrequencyBand {
  Frequency low;
  Frequency high;

  constexpr void add(Frequency frequency) {
    low = high == Frequency{} || frequency < low ? frequency : low;
    high = frequency > high ? frequency : high;
  }
};

/// What was asked of one cluster in a second, and what its frames ran at.
struct ClusterSecond {
  FrequencyBand cap;           ///< no cap counts as the top frequency
  FrequencyBand floor;         ///< no floor counts as the lowest frequency
  FrequencyBand speed;         ///< of the frames that ended on it
  double cap_khz_seconds = 0;  ///< over the time seen
};

/// What one second came to: between two looks at the service nothing is lost.
struct SecondRecord {
  Instant begin;
  Duration seen{};  ///< a second, but for the one that goes on
  AppText app;      ///< of its last frame
  std::uint32_t frames{};
  std::uint32_t late{};
  std::uint32_t raised{};  ///< times that a late frame had the speed raised at once
  Duration shortest{};     ///< generation times
  Duration longest{};
  Duration total{};
  Duration budget{};  ///< of its last frame
  StaticVector<ClusterSecond, kMaxClusters> clusters;
};

/// Sums up frames and plans second by second. For the loop: it never waits and never allocates.
class SecondMeter {
 public:
  explicit SecondMeter(const CpuTopology& topology);

  /// To be called before what happened at `now` is added. The second that is over by then, if one
  /// is that had frames.
  [[nodiscard]] std::optional<SecondRecord> advance(Instant now);
  void add_frame(const Frame& frame, const FrameRecord& record, std::string_view app);
  void add_plan(const StaticVector<ClusterPlan, kMaxClusters>& plan, ReasonCode reason);

  /// The second that goes on, as far as it has come.
  [[nodiscard]] const SecondRecord& open() const { return open_; }

 private:
  void integrate(Instant until);
  void begin(Instant at);

  struct Limits {
    Frequency low;
    Frequency top;
    Frequency cap;
    Frequency floor;
  };
  StaticVector<Limits, kMaxClusters> limits_;  ///< in force
  SecondRecord open_;
  Instant integrated_;
};

}  // namespace framegov

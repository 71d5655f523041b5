// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/perfetto_fields.h"

namespace framegov {

/// A clock of a trace. Ids in [64, 127] belong to one packet sequence, the others to the trace.
using ClockKey = std::uint64_t;

[[nodiscard]] ClockKey clock_key(std::uint32_t clock_id, std::uint32_t sequence);

struct ClockReading {
  ClockKey clock{};
  std::int64_t ns{};
};

/// Translates times between the clocks of a trace, from snapshots that read several of them at one
/// moment (ClockSnapshot). Between snapshots clocks are taken to run at one speed. Memory is linear
/// in the readings. What joins two clocks is gathered when it is first asked for, and a translation
/// is a binary search from then on: threads of the SDK have a snapshot each every few seconds.
class ClockTable {
 public:
  void add_snapshot(std::span<const ClockReading> readings);

  /// `ns` of `from` as a time of `to`, through the last snapshot at or before it (else the first)
  /// that holds both, if need be by way of a third clock. Nothing when no snapshot joins them.
  [[nodiscard]] std::optional<std::int64_t> translate(ClockKey from, std::int64_t ns, ClockKey to);

 private:
  /// Two clocks at one moment.
  struct Joint {
    std::int64_t from{};
    std::int64_t to{};
  };
  using Joints = std::vector<Joint>;  ///< ascending in `from`
  struct Clock {
    std::vector<std::size_t> snapshots;  ///< that hold it
    std::vector<std::pair<ClockKey, Joints>> joined;
  };

  static void insert(Joints& joints, Joint joint);
  /// The first that is later than `ns`.
  [[nodiscard]] static Joints::const_iterator later(const Joints& joints, std::int64_t ns);
  [[nodiscard]] std::span<const ClockReading> snapshot(std::size_t index) const;
  [[nodiscard]] const Joints& joints(ClockKey from, Clock& clock, ClockKey to);
  [[nodiscard]] std::optional<std::int64_t> direct(ClockKey from, std::int64_t ns, ClockKey to);

  std::unordered_map<ClockKey, Clock> clocks_;
  std::vector<ClockReading> readings_;  ///< of all snapshots, one after another
  std::vector<std::size_t> begins_;     ///< of each in `readings_`
};

/// Times that the kernel and the power meters give, which are BOOTTIME (where ftrace does not say
/// otherwise) whatever clock the trace has, as times of the trace. `clocks` must outlive it and
/// join the two clocks.
class BootClock {
 public:
  BootClock(ClockTable& clocks, ClockKey trace_clock)
      : clocks_(&clocks), trace_clock_(trace_clock) {}
  [[nodiscard]] std::int64_t trace_time(std::int64_t ns,
                                        ClockKey from = perfetto::clock::kBoottime) const {
    return clocks_->translate(from, ns, trace_clock_).value_or(ns);
  }

 private:
  ClockTable* clocks_;
  ClockKey trace_clock_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
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
/// moment (ClockSnapshot). Between snapshots clocks are taken to run at one speed.
class ClockTable {
 public:
  void add_snapshot(std::span<const ClockReading> readings);

  /// `ns` of `from` as a time of `to`, through the last snapshot at or before it (else the first)
  /// that holds both, if need be by way of a third clock. Nothing when no snapshot joins them.
  [[nodiscard]] std::optional<std::int64_t> translate(ClockKey from, std::int64_t ns,
                                                      ClockKey to) const;

 private:
  struct Point {
    std::int64_t ns{};
    std::size_t snapshot{};
  };
  [[nodiscard]] std::optional<std::int64_t> direct(ClockKey from, std::int64_t ns,
                                                   ClockKey to) const;

  std::unordered_map<ClockKey, std::vector<Point>> points_;  ///< per clock, ascending
  std::vector<std::vector<ClockReading>> snapshots_;
};

/// Times that the kernel and the power meters give, which are BOOTTIME (where ftrace does not say
/// otherwise) whatever clock the trace has, as times of the trace. `clocks` must outlive it and
/// join the two clocks.
class BootClock {
 public:
  BootClock(const ClockTable& clocks, ClockKey trace_clock)
      : clocks_(&clocks), trace_clock_(trace_clock) {}
  [[nodiscard]] std::int64_t trace_time(std::int64_t ns,
                                        ClockKey from = perfetto::clock::kBoottime) const {
    return clocks_->translate(from, ns, trace_clock_).value_or(ns);
  }

 private:
  const ClockTable* clocks_;
  ClockKey trace_clock_;
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "trace/trace_events.h"

namespace framegov {

/// Times of several clocks read at one moment, so that a viewer can place MONOTONIC times among a
/// system trace's BOOTTIME ones. Zero: not known, left out; without BOOTTIME the trace's own clock
/// is MONOTONIC.
struct ClockReadings {
  Instant monotonic;
  std::int64_t boottime_ns{};
  std::int64_t realtime_ns{};
};

/// Writes Perfetto packets: tracks, slices, counters, annotations. Every packet stands alone (no
/// interning), so a writer's owner may drop any of them: keep a file bounded, or keep only the last
/// seconds. Packets may be written in any order. No allocation once the largest packet has been
/// written. Used from one thread.
class TraceWriter {
 public:
  /// Takes one encoded packet, its header included; false when there is no room for it.
  using Output = std::function<bool(std::string_view)>;

  explicit TraceWriter(Output output);

  void clock_snapshot(const ClockReadings& readings);

  /// Tracks: `uuid` unique in the trace and not 0, `parent` 0 for none.
  void track(std::uint64_t uuid, std::uint64_t parent, std::string_view name);
  void counter_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name);

  /// Slices of one track must nest.
  void slice_begin(Instant at, std::uint64_t track, std::string_view name,
                   std::span<const Annotation> annotations = {});
  void slice_end(Instant at, std::uint64_t track);
  void instant(Instant at, std::uint64_t track, std::string_view name,
               std::span<const Annotation> annotations = {});
  void counter(Instant at, std::uint64_t track, double value);

  [[nodiscard]] std::uint64_t packets_written() const { return written_; }
  [[nodiscard]] std::uint64_t packets_dropped() const { return dropped_; }

 private:
  void describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name,
                      bool is_counter);
  void event(const TrackEvent& event);
  void emit();

  Output output_;
  std::string body_;    ///< the packet being built
  std::string framed_;  ///< the same with its header
  std::uint64_t written_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace framegov

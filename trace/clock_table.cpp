// SPDX-License-Identifier: Apache-2.0
#include "trace/clock_table.h"

#include <algorithm>

#include "trace/perfetto_fields.h"

namespace framegov {

namespace {

// Enough for a recording of days; a trace that repeats snapshots without end is not believed.
constexpr std::size_t kMaxSnapshots = 1U << 14U;

std::optional<std::int64_t> reading_of(std::span<const ClockReading> readings, ClockKey clock) {
  for (const ClockReading& reading : readings) {
    if (reading.clock == clock) {
      return reading.ns;
    }
  }
  return std::nullopt;
}

// Times of hostile traces may be anything: no undefined overflow.
std::int64_t shift(std::int64_t ns, std::int64_t from, std::int64_t to) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(ns) -
                                   static_cast<std::uint64_t>(from) +
                                   static_cast<std::uint64_t>(to));
}

}  // namespace

ClockKey clock_key(std::uint32_t clock_id, std::uint32_t sequence) {
  const bool scoped = clock_id >= perfetto::clock::kFirstSequenceClock &&
                      clock_id <= perfetto::clock::kLastSequenceClock;
  return scoped ? (ClockKey{sequence} << 32U) | clock_id : ClockKey{clock_id};
}

void ClockTable::add_snapshot(std::span<const ClockReading> readings) {
  if (snapshots_.size() >= kMaxSnapshots) {
    return;
  }
  for (const ClockReading& reading : readings) {
    std::vector<Point>& points = points_[reading.clock];
    const auto place =
        std::upper_bound(points.begin(), points.end(), reading.ns,
                         [](std::int64_t ns, const Point& point) { return ns < point.ns; });
    points.insert(place, {reading.ns, snapshots_.size()});
  }
  snapshots_.emplace_back(readings.begin(), readings.end());
}

std::optional<std::int64_t> ClockTable::direct(ClockKey from, std::int64_t ns, ClockKey to) const {
  const auto found = points_.find(from);
  if (found == points_.end()) {
    return std::nullopt;
  }
  const std::vector<Point>& points = found->second;
  auto after = std::upper_bound(points.begin(), points.end(), ns,
                                [](std::int64_t t, const Point& point) { return t < point.ns; });
  for (auto before = after; before != points.begin();) {
    --before;
    if (const auto there = reading_of(snapshots_[before->snapshot], to)) {
      return shift(ns, before->ns, *there);
    }
  }
  for (; after != points.end(); ++after) {
    if (const auto there = reading_of(snapshots_[after->snapshot], to)) {
      return shift(ns, after->ns, *there);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> ClockTable::translate(ClockKey from, std::int64_t ns,
                                                  ClockKey to) const {
  if (from == to) {
    return ns;
  }
  if (const auto there = direct(from, ns, to)) {
    return there;
  }
  const auto found = points_.find(from);
  if (found == points_.end()) {
    return std::nullopt;
  }
  const std::size_t tried = std::min<std::size_t>(found->second.size(), 8);
  for (const Point& point : std::span(found->second).first(tried)) {
    for (const ClockReading& by_way_of : snapshots_[point.snapshot]) {
      if (by_way_of.clock == from) {
        continue;
      }
      if (const auto middle = direct(from, ns, by_way_of.clock)) {
        if (const auto there = direct(by_way_of.clock, *middle, to)) {
          return there;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace framegov

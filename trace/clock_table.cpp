// SPDX-License-Identifier: Apache-2.0
#include "trace/clock_table.h"

#include <algorithm>

#include "trace/perfetto_fields.h"

namespace framegov {

namespace {

// Between two clocks. Days of a recording; more are not believed, for they may come in any order.
constexpr std::size_t kMaxJoints = 1U << 16U;

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

ClockTable::Joints::const_iterator ClockTable::later(const Joints& joints, std::int64_t ns) {
  return std::upper_bound(joints.begin(), joints.end(), ns,
                          [](std::int64_t t, const Joint& joint) { return t < joint.from; });
}

void ClockTable::insert(Joints& joints, Joint joint) {
  if (joints.size() < kMaxJoints) {
    joints.insert(later(joints, joint.from), joint);
  }
}

void ClockTable::add_snapshot(std::span<const ClockReading> readings) {
  for (const ClockReading& reading : readings) {
    Clock& clock = clocks_[reading.clock];
    clock.snapshots.push_back(begins_.size());
    for (auto& [to, joints] : clock.joined) {
      if (const auto there = reading_of(readings, to)) {
        insert(joints, {reading.ns, *there});
      }
    }
  }
  begins_.push_back(readings_.size());
  readings_.insert(readings_.end(), readings.begin(), readings.end());
}

std::span<const ClockReading> ClockTable::snapshot(std::size_t index) const {
  const std::size_t begin = begins_[index];
  const std::size_t end = index + 1 < begins_.size() ? begins_[index + 1] : readings_.size();
  return std::span(readings_).subspan(begin, end - begin);
}

const ClockTable::Joints& ClockTable::joints(ClockKey from, Clock& clock, ClockKey to) {
  for (const auto& [joined, joints] : clock.joined) {
    if (joined == to) {
      return joints;
    }
  }
  Joints& joints = clock.joined.emplace_back(to, Joints{}).second;
  for (const std::size_t index : clock.snapshots) {
    const auto readings = snapshot(index);
    if (const auto there = reading_of(readings, to)) {
      insert(joints, {*reading_of(readings, from), *there});
    }
  }
  return joints;
}

std::optional<std::int64_t> ClockTable::direct(ClockKey from, std::int64_t ns, ClockKey to) {
  const auto found = clocks_.find(from);
  if (found == clocks_.end()) {
    return std::nullopt;
  }
  const Joints& all = joints(from, found->second, to);
  if (all.empty()) {
    return std::nullopt;
  }
  const auto after = later(all, ns);
  const Joint& joint = after == all.begin() ? *after : *std::prev(after);
  return shift(ns, joint.from, joint.to);
}

std::optional<std::int64_t> ClockTable::translate(ClockKey from, std::int64_t ns, ClockKey to) {
  if (from == to) {
    return ns;
  }
  if (const auto there = direct(from, ns, to)) {
    return there;
  }
  const auto found = clocks_.find(from);
  if (found == clocks_.end()) {
    return std::nullopt;
  }
  constexpr std::size_t kTried = 8;
  const std::size_t tried = std::min(found->second.snapshots.size(), kTried);
  for (std::size_t i = 0; i < tried; ++i) {
    for (const ClockReading& by_way_of : snapshot(found->second.snapshots[i])) {
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

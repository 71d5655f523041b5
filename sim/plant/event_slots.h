// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"

namespace framegov::sim {

/// What can happen next in the plant. Of events at one instant the earlier in this list goes first:
/// a frame that is done when its escalation is due is not escalated.
enum class PlantEvent : std::uint8_t {
  kUiEnd,
  kRenderEnd,
  kFrameEnd,
  kRenderStart,
  kWrite,
  kOtherLoad,
  kTick,
  kArrival,
  kStep,
  kTimer,
  kTouch,
  kTransition,  ///< of cluster 0; the others' follow
};

/// One instant (ns) for each kind of event, kNever for "not due". Never more than a few kinds are
/// due at once, so finding the next is a short scan, quicker than a queue. Of the transitions only
/// the first takes part.
///
/// The scan compares keys: the instant with the slot's number in its lowest bits. No branch depends
/// on the times, since which event is next cannot be foretold. Instants that differ by less than a
/// ns count as one.
class EventSlots {
 public:
  static constexpr double kNever = 1e300;  ///< a number: infinity with a slot's number is none

  EventSlots() {
    for (std::size_t slot = 0; slot < kFirstTransition; ++slot) {
      set_slot(slot, kNever);
    }
    for (std::size_t cluster = 0; cluster < kMaxClusters; ++cluster) {
      set_key(cluster, kNever);
    }
    keys_[kFirstTransition] = least(transitions_);
  }

  void set(PlantEvent event, double at) { set_slot(static_cast<std::size_t>(event), at); }
  /// Of a cluster that has none under way.
  void begin_transition(std::size_t cluster, double at) {
    keys_[kFirstTransition] = std::min(set_key(cluster, at), keys_[kFirstTransition]);
  }
  void end_transition(std::size_t cluster) {
    set_key(cluster, kNever);
    keys_[kFirstTransition] = least(transitions_);
  }
  [[nodiscard]] double at(PlantEvent event) const { return at_[static_cast<std::size_t>(event)]; }

  struct Next {
    std::size_t slot;
    double at;
  };
  [[nodiscard]] Next next() const {
    const auto slot =
        static_cast<std::size_t>(std::bit_cast<std::uint64_t>(least(keys_)) & kSlotMask);
    return {slot, at_[slot]};
  }

 private:
  static constexpr std::uint64_t kSlotMask = 31;
  static constexpr std::size_t kLanes = 4;
  static constexpr auto kFirstTransition = static_cast<std::size_t>(PlantEvent::kTransition);
  static constexpr std::size_t kSlots = kFirstTransition + kMaxClusters;
  static_assert(kSlots <= kSlotMask + 1);

  [[nodiscard]] static double key(std::size_t slot, double at) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(at) & ~kSlotMask) | slot);
  }
  template <std::size_t kCount>
  [[nodiscard]] static double least(const std::array<double, kCount>& keys) {
    static_assert(kCount % kLanes == 0);
    std::array least{keys[0], keys[1], keys[2], keys[3]};  // lanes do not wait for each other
    for (std::size_t i = kLanes; i < kCount; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        least[lane] = std::min(keys[i + lane], least[lane]);
      }
    }
    return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  }
  double set_key(std::size_t cluster, double at) {
    const std::size_t slot = kFirstTransition + cluster;
    at_[slot] = at;
    return transitions_[cluster] = key(slot, at);
  }
  void set_slot(std::size_t slot, double at) {
    at_[slot] = at;
    keys_[slot] = key(slot, at);
  }

  std::array<double, kFirstTransition + 1> keys_{};  ///< the last: of the first transition
  std::array<double, kMaxClusters> transitions_{};
  std::array<double, kSlots> at_{};
};

}  // namespace framegov::sim

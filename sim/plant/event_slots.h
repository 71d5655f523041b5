// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/cpu_topology.h"

namespace framegov {

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
/// due at once, so finding the next is a short scan, quicker than a queue.
///
/// The scan compares keys: the instant with the slot's number in its lowest bits. No branch depends
/// on the times, since which event is next cannot be foretold. Instants that differ by less than a
/// ns count as one.
class EventSlots {
 public:
  static constexpr double kNever = 1e300;  ///< a number: infinity with a slot's number is none

  EventSlots() {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      set_slot(i, kNever);
    }
  }

  void set(PlantEvent event, double at) { set_slot(static_cast<std::size_t>(event), at); }
  void set_transition(std::size_t cluster, double at) {
    set_slot(static_cast<std::size_t>(PlantEvent::kTransition) + cluster, at);
  }
  [[nodiscard]] double at(PlantEvent event) const { return at_[static_cast<std::size_t>(event)]; }

  struct Next {
    std::size_t slot;
    double at;
  };
  [[nodiscard]] Next next() const {
    std::array least{keys_[0], keys_[1], keys_[2], keys_[3]};  // lanes do not wait for each other
    for (std::size_t i = kLanes; i < keys_.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        least[lane] = std::min(keys_[i + lane], least[lane]);
      }
    }
    const double first = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    const auto slot = static_cast<std::size_t>(std::bit_cast<std::uint64_t>(first) & kSlotMask);
    return {slot, at_[slot]};
  }

 private:
  static constexpr std::uint64_t kSlotMask = 31;
  static constexpr std::size_t kLanes = 4;
  static constexpr std::size_t kSlots =
      (static_cast<std::size_t>(PlantEvent::kTransition) + kMaxClusters + kLanes - 1) / kLanes *
      kLanes;
  static_assert(kSlots <= kSlotMask + 1);

  void set_slot(std::size_t slot, double at) {
    at_[slot] = at;
    keys_[slot] = std::bit_cast<double>((std::bit_cast<std::uint64_t>(at) & ~kSlotMask) | slot);
  }

  std::array<double, kSlots> keys_{};
  std::array<double, kSlots> at_{};
};

}  // namespace framegov

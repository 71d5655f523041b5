// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

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

/// One instant (ns) for each kind of event, infinity for "not due". Never more than a few kinds are
/// due at once, so finding the next is a short scan, quicker than a queue.
///
/// The scan compares keys: the instant's bits, which order as the positive instants do, with the
/// slot's number in the lowest ones. No branch depends on the times, since which event is next
/// cannot be foretold. Instants that differ by less than a ns count as one.
class EventSlots {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit EventSlots(std::size_t clusters)
      : count_((static_cast<std::size_t>(PlantEvent::kTransition) + clusters + 1) / 2 * 2) {
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
    std::uint64_t even = keys_[0];
    std::uint64_t odd = keys_[1];
    for (std::size_t i = 2; i < count_; i += 2) {
      even = std::min(even, keys_[i]);
      odd = std::min(odd, keys_[i + 1]);
    }
    const auto slot = static_cast<std::size_t>(std::min(even, odd) & kSlotMask);
    return {slot, at_[slot]};
  }

 private:
  static constexpr std::uint64_t kSlotMask = 31;
  static constexpr std::size_t kSlots =
      (static_cast<std::size_t>(PlantEvent::kTransition) + kMaxClusters + 1) / 2 * 2;
  static_assert(kSlots <= kSlotMask + 1);

  void set_slot(std::size_t slot, double at) {
    at_[slot] = at;
    keys_[slot] = (std::bit_cast<std::uint64_t>(at) & ~kSlotMask) | slot;
  }

  std::size_t count_;
  std::array<std::uint64_t, kSlots> keys_{};
  std::array<double, kSlots> at_{};
};

}  // namespace framegov

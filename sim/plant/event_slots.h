// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
class EventSlots {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit EventSlots(std::size_t clusters)
      : count_(static_cast<std::size_t>(PlantEvent::kTransition) + clusters) {
    at_.fill(kNever);
  }

  void set(PlantEvent event, double at) { at_[static_cast<std::size_t>(event)] = at; }
  void set_transition(std::size_t cluster, double at) {
    at_[static_cast<std::size_t>(PlantEvent::kTransition) + cluster] = at;
  }
  [[nodiscard]] double at(PlantEvent event) const { return at_[static_cast<std::size_t>(event)]; }

  struct Next {
    std::size_t slot;
    double at;
  };
  [[nodiscard]] Next next() const {
    Next best{0, at_[0]};
    for (std::size_t i = 1; i < count_; ++i) {
      if (at_[i] < best.at) {
        best = {i, at_[i]};
      }
    }
    return best;
  }

 private:
  std::size_t count_;
  std::array<double, static_cast<std::size_t>(PlantEvent::kTransition) + kMaxClusters> at_{};
};

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/static_vector.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "base/units.h"
#include "probes/context/command_runner.h"

namespace framegov {

/// PMUs that are told apart: one for each kind of core.
inline constexpr std::size_t kMaxPmus = 4;

/// How a PMU of CPUs is asked for the cycles of its cores (perf_event_attr's type and config).
struct CycleEvent {
  std::uint32_t type{};
  std::uint64_t config{};
};
using CycleEvents = StaticVector<CycleEvent, kMaxPmus>;

/// As a counter of a thread: what CycleCounter opens.
[[nodiscard]] ThreadCounter counter_of(const CycleEvent& event);

/// Those of all the CPUs' PMUs. Empty where there is none, or more kinds than kMaxPmus: a sum over
/// some of them would be too small.
[[nodiscard]] CycleEvents find_cycle_events(
    const std::filesystem::path& devices = "/sys/bus/event_source/devices");

/// Cycles since some moment that stays the same, and the time in which they were counted: a PMU
/// that others use as well counts some of the time only.
struct CycleCount {
  std::uint64_t cycles{};
  Duration counted{};

  CycleCount& operator+=(const CycleCount& other);
  [[nodiscard]] CycleCount since(const CycleCount& earlier) const;
  /// At which the cores ran; zero when too little was counted to tell.
  [[nodiscard]] Frequency frequency() const;
};

/// The cycles of one thread, on whichever core it runs. It is the speed that the cores really had,
/// also where firmware lowers it and no cpufreq node says so.
class CycleCounter {
 public:
  CycleCounter() = default;
  /// An empty counter when the kernel refuses one of the events.
  CycleCounter(std::int32_t tid, const CycleEvents& events);

  [[nodiscard]] explicit operator bool() const { return !files_.empty(); }

  /// Nothing counted from an empty one. One system call for each PMU.
  [[nodiscard]] CycleCount read() const;

 private:
  StaticVector<UniqueFd, kMaxPmus> files_;
};

}  // namespace framegov

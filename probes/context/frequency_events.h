// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "probes/context/event_pipe.h"

namespace framegov {

/// A cluster's frequency from `at` on.
struct FrequencyEvent {
  Instant at;
  std::size_t cluster{};
  Frequency frequency;
};

/// Every change of the clusters' frequencies, from the kernel's cpu_frequency events in a trace
/// buffer of ours: for recordings, which tell exactly what the phone did. The service itself only
/// needs means (FrequencyMeter).
class FrequencyEvents {
 public:
  /// Error: there is no tracefs that we may use, or it has no such event.
  [[nodiscard]] static Result<FrequencyEvents> open(const std::filesystem::path& tracefs,
                                                    const CpuTopology& topology);

  /// Appends the changes since the last call to `changes`.
  void drain(std::vector<FrequencyEvent>& changes);

 private:
  FrequencyEvents(EventPipe pipe, const CpuTopology& topology)
      : pipe_(std::move(pipe)), topology_(topology) {}

  EventPipe pipe_;
  CpuTopology topology_;
};

/// What a line of trace_pipe says; nothing when it is no cpu_frequency event of the cluster's first
/// CPU (the kernel tells each of them).
[[nodiscard]] std::optional<FrequencyEvent> parse_frequency_event(std::string_view line,
                                                                  const CpuTopology& topology);

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frequency_events.h"

#include <bit>
#include <utility>

#include "probes/sources/trace_text.h"

namespace framegov {

namespace {

/// For each CPU: some thousand changes, more than happen between two drains.
constexpr const char* kBufferKb = "256";

}  // namespace

std::optional<FrequencyEvent> parse_frequency_event(std::string_view line,
                                                    const CpuTopology& topology) {
  const auto parsed = parse_trace_line(line);
  if (!parsed || parsed->event != "cpu_frequency") {
    return std::nullopt;
  }
  const auto khz = trace_argument(parsed->arguments, "state");
  const auto cpu = trace_argument(parsed->arguments, "cpu_id");
  constexpr std::uint64_t kHighestKhz = 100'000'000;
  if (!khz || !cpu || *khz == 0 || *khz > kHighestKhz || *cpu >= kMaxCpus) {
    return std::nullopt;
  }
  const auto cluster = topology.cluster_of(static_cast<int>(*cpu));
  if (!cluster || std::countr_zero(topology.clusters[*cluster].cpus) != static_cast<int>(*cpu)) {
    return std::nullopt;
  }
  return FrequencyEvent{parsed->at, *cluster, Frequency{static_cast<std::int64_t>(*khz)}};
}

Result<FrequencyEvents> FrequencyEvents::open(const std::filesystem::path& tracefs,
                                              const CpuTopology& topology) {
  FRAMEGOV_TRY(auto pipe,
               EventPipe::open(tracefs, "power/cpu_frequency", "frequencies", kBufferKb));
  return FrequencyEvents(std::move(pipe), topology);
}

void FrequencyEvents::drain(std::vector<FrequencyEvent>& changes) {
  pipe_.drain([&](std::string_view line) {
    if (const auto event = parse_frequency_event(line, topology_)) {
      changes.push_back(*event);
    }
  });
}

}  // namespace framegov

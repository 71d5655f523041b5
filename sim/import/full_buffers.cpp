// SPDX-License-Identifier: Apache-2.0
#include "sim/import/full_buffers.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <unordered_map>

#include "base/time.h"

namespace framegov::sim {

namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct SwitchTimes {
  std::int64_t first = kNever;
  std::int64_t last = 0;
};

SwitchTimes switch_times(const TraceModel& model) {
  SwitchTimes times;
  for (const std::vector<CpuSwitch>& cpu : model.cpu.switches) {
    if (!cpu.empty()) {
      times.first = std::min(times.first, cpu.front().at);
      times.last = std::max(times.last, cpu.back().at);
    }
  }
  return times;
}

/// Since when some CPU tells nothing though the thread it ran goes on elsewhere; kNever: no CPU.
std::int64_t first_end(const TraceModel& model, std::int64_t last) {
  constexpr std::int64_t kShort = 100 * kNsPerMs;
  constexpr std::int64_t kClocksDiffer = 1 * kNsPerMs;
  std::unordered_map<std::int32_t, std::int64_t> ran_last;  // thread -> since when
  std::int64_t earliest = kNever;
  for (const std::vector<CpuSwitch>& cpu : model.cpu.switches) {
    if (!cpu.empty() && cpu.back().next_tid > 0 && last - cpu.back().at >= kShort) {
      ran_last[cpu.back().next_tid] = cpu.back().at;
      earliest = std::min(earliest, cpu.back().at);
    }
  }
  if (ran_last.empty()) {
    return kNever;
  }
  std::int64_t end = kNever;
  for (const std::vector<CpuSwitch>& cpu : model.cpu.switches) {
    for (auto event = cpu.rbegin(); event != cpu.rend() && event->at > earliest; ++event) {
      const auto found = ran_last.find(event->next_tid);
      if (found != ran_last.end() && event->at > found->second + kClocksDiffer) {
        end = std::min(end, found->second);
      }
    }
  }
  return end;
}

}  // namespace

void leave_out_after_full_buffers(TraceModel& model, std::vector<std::string>& notes) {
  const auto [first, last] = switch_times(model);
  const std::int64_t end = first < last ? first_end(model, last) : kNever;
  if (end == kNever) {
    return;
  }
  if (last - end > (last - first) / 2) {
    notes.push_back("frames after the first " + std::to_string((end - first) / kNsPerMs) +
                    " ms may be too light: a CPU's buffer was full");
    return;
  }
  notes.push_back("the last " + std::to_string((last - end) / kNsPerMs) +
                  " ms are left out: a CPU's buffer was full");
  const auto first_after = [end](auto& items) {
    return std::partition_point(items.begin(), items.end(),
                                [end](const auto& item) { return item.at <= end; });
  };
  for (std::vector<CpuSwitch>& cpu : model.cpu.switches) {
    // The next one ends what the CPU ran then.
    const auto after = first_after(cpu);
    cpu.erase(after == cpu.end() ? after : std::next(after), cpu.end());
  }
  for (ThreadTrack& track : model.processes.threads) {
    track.marks.erase(first_after(track.marks), track.marks.end());
  }
}

}  // namespace framegov::sim

// SPDX-License-Identifier: Apache-2.0
#include "probes/context/cycle_counter.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

/// Less than this says little: the counters start and stop in the kernel's own work.
constexpr Duration kTellsFrequency = std::chrono::microseconds{20};

/// Of "event=0x011"; zero, which is no event of cycles, when it is written in another way.
std::uint64_t event_config(std::string_view text) {
  constexpr std::string_view kKey = "event=0x";
  std::uint64_t config = 0;
  if (!text.starts_with(kKey)) {
    return 0;
  }
  text.remove_prefix(kKey.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), config, 16);
  return error == std::errc{} && end == text.data() + text.size() ? config : 0;
}

}  // namespace

CycleEvents find_cycle_events(const fs::path& devices) {
  CycleEvents events;
  std::error_code ignored;
  for (const fs::path& pmu : entries_of(devices, ignored)) {
    // `cpus` where there are several kinds of core (all arm64); PMUs of buses have `cpumask`.
    if (!fs::exists(pmu / "cpus", ignored) && pmu.filename() != "cpu") {
      continue;
    }
    std::uint64_t config = 0;
    for (const char* const name : {"cpu_cycles", "cpu-cycles"}) {  // arm64, x86
      if (config == 0) {
        config = event_config(first_line(pmu / "events" / name));
      }
    }
    std::uint32_t type = 0;
    std::istringstream(read_node(pmu / "type")) >> type;
    // One that does not count, or is left out, would leave its cores' cycles out of the sum.
    if (config == 0 || type == 0 || !events.try_push_back({type, config})) {
      return {};
    }
  }
  return events;
}

CycleCount& CycleCount::operator+=(const CycleCount& other) {
  cycles += other.cycles;
  counted += other.counted;
  return *this;
}

CycleCount CycleCount::since(const CycleCount& earlier) const {
  return {cycles - earlier.cycles, counted - earlier.counted};
}

Frequency CycleCount::frequency() const {
  if (counted < kTellsFrequency) {
    return {};
  }
  return Frequency{
      static_cast<std::int64_t>(static_cast<double>(cycles) / to_seconds(counted) / 1e3)};
}

ThreadCounter counter_of(const CycleEvent& event) {
  return {event.type, event.config,
          PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING};
}

CycleCounter::CycleCounter(std::int32_t tid, const CycleEvents& events) {
  StaticVector<UniqueFd, kMaxPmus> files;
  for (const CycleEvent& event : events) {
    UniqueFd file = open_thread_counter(counter_of(event), tid);
    if (!file) {
      return;
    }
    files.resize(files.size() + 1);
    files.back() = std::move(file);
  }
  files_ = std::move(files);
}

CycleCount CycleCounter::read() const {
  CycleCount count;
  for (const UniqueFd& file : files_) {
    std::array<std::uint64_t, 3> values{};  // the count, time enabled, time counted
    if (::read(file.get(), values.data(), sizeof(values)) != sizeof(values)) {
      return {};
    }
    count += {values[0], Duration{static_cast<std::int64_t>(values[2])}};
  }
  return count;
}

}  // namespace framegov

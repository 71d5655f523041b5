// SPDX-License-Identifier: Apache-2.0
#include "probes/context/gpu_work.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "probes/sources/trace_text.h"

namespace framegov {

namespace {

constexpr const char* kEvent = "power/gpu_work_period";
/// For each CPU: a few hundred events.
constexpr const char* kGpuBufferKb = "16";
constexpr Duration kSecond = std::chrono::seconds{1};
/// Drivers' own timers may be late.
constexpr Duration kLongest = std::chrono::milliseconds{1100};

}  // namespace

std::optional<GpuWorkPeriod> parse_gpu_work_period(std::string_view line) {
  const auto parsed = parse_trace_line(line);
  if (!parsed || parsed->event != "gpu_work_period") {
    return std::nullopt;
  }
  const auto gpu = trace_argument(parsed->arguments, "gpu_id");
  const auto uid = trace_argument(parsed->arguments, "uid");
  const auto start = trace_argument(parsed->arguments, "start_time_ns");
  const auto end = trace_argument(parsed->arguments, "end_time_ns");
  const auto active = trace_argument(parsed->arguments, "total_active_duration_ns");
  // Its own times are on another clock: only how long it was counts.
  if (!gpu || !uid || !start || !end || !active || *end <= *start || *active > *end - *start ||
      *end - *start > static_cast<std::uint64_t>(kLongest.count())) {
    return std::nullopt;
  }
  return GpuWorkPeriod{*gpu, *uid, parsed->at, Duration{static_cast<std::int64_t>(*end - *start)},
                       Duration{static_cast<std::int64_t>(*active)}};
}

bool GpuWork::is_told(const std::filesystem::path& tracefs) {
  std::error_code ignored;
  return !tracefs.empty() && std::filesystem::exists(tracefs / "events" / kEvent, ignored);
}

Result<GpuWork> GpuWork::open(const std::filesystem::path& tracefs) {
  FRAMEGOV_TRY(auto pipe, EventPipe::open(tracefs, kEvent, "gpu", kGpuBufferKb));
  return GpuWork(std::move(pipe));
}

std::optional<GpuReading> GpuWorkPeriods::read(Instant now) const {
  if (next_ == 0) {
    return std::nullopt;
  }
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> busy_s;
  double most = 0;
  for (const GpuWorkPeriod& period : periods_) {
    const Instant from = std::max(period.end - period.length, now - 2 * kSecond);
    const Instant until = std::min(period.end, now - kSecond);
    if (until > from) {
      double& busy = busy_s[{period.gpu, period.uid}];
      busy += to_seconds(period.active) * to_seconds(until - from) / to_seconds(period.length);
      most = std::max(most, busy);
    }
  }
  // A driver may tell of a while twice.
  return GpuReading{std::min(most / to_seconds(kSecond), 1.0), {}, {}};
}

std::optional<GpuReading> GpuWork::read(Instant now) {
  pipe_.drain([&](std::string_view line) {
    if (const auto period = parse_gpu_work_period(line)) {
      told_.take(*period);
    }
  });
  return told_.read(now);
}

}  // namespace framegov

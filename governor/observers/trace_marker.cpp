// SPDX-License-Identifier: Apache-2.0
#include "governor/observers/trace_marker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "base/file.h"

namespace framegov {

namespace {

constexpr Duration kLookAgain = std::chrono::seconds{1};
/// In no plan: makes the first value of each counter a change.
constexpr Frequency kNever{-1};

}  // namespace

TraceMarker::TraceMarker(UniqueFd fd, const CpuTopology& topology)
    : fd_(std::move(fd)), pid_(::getpid()) {
  for (const Cluster& cluster : topology.clusters) {
    policies_.push_back(cluster.cpufreq_id);
    wanted_.push_back({});
    written_.push_back({kNever, kNever});
  }
}

Result<std::unique_ptr<TraceMarker>> TraceMarker::open(const std::filesystem::path& tracefs,
                                                       const CpuTopology& topology) {
  const std::filesystem::path path = tracefs / "trace_marker";
  UniqueFd fd = open_file(path, O_WRONLY);
  if (!fd) {
    return fail_errno(errno, path.string(), "service.trace_marker: false goes without it");
  }
  return std::unique_ptr<TraceMarker>(new TraceMarker(std::move(fd), topology));
}

void TraceMarker::on_frame(const Frame& frame, std::string_view /*app*/, Instant /*now*/) {
  has_frame_ = true;
  slack_ = frame.slack();
}

void TraceMarker::on_decision(const Decision& decision) {
  has_decision_ = true;
  cause_ = decision.cause;
  reason_ = decision.plan->reason.code;
  wanted_ = decision.plan->clusters;
}

void TraceMarker::on_step(const StepReport& report) {
  if ((has_frame_ || has_decision_) && report.now >= again_at_ && !write_step()) {
    again_at_ = report.now + kLookAgain;
    // A recording that begins later is to have every counter.
    std::fill(written_.begin(), written_.end(), ClusterPlan{kNever, kNever});
  }
  has_frame_ = has_decision_ = false;
}

bool TraceMarker::write_step() {
  if (has_frame_ && !write("C|%d|framegov slack_us|%" PRId64, pid_, slack_.count() / 1000)) {
    return false;
  }
  if (!has_decision_) {
    return true;
  }
  const std::string_view cause = to_string(cause_);
  const std::string_view reason = to_string(reason_);
  return write("B|%d|framegov %.*s: %.*s", pid_, static_cast<int>(cause.size()), cause.data(),
               static_cast<int>(reason.size()), reason.data()) &&
         write_limits() && write("E|%d", pid_);
}

bool TraceMarker::write_limits() {
  for (std::size_t i = 0; i < std::min(wanted_.size(), policies_.size()); ++i) {
    const ClusterPlan& wanted = wanted_[i];
    if (wanted.cap != written_[i].cap &&
        !write("C|%d|framegov policy%d cap_khz|%" PRId64, pid_, policies_[i], wanted.cap.count())) {
      return false;
    }
    if (wanted.floor != written_[i].floor && !write("C|%d|framegov policy%d floor_khz|%" PRId64,
                                                    pid_, policies_[i], wanted.floor.count())) {
      return false;
    }
    written_[i] = wanted;
  }
  return true;
}

bool TraceMarker::write(const char* format, ...) const {
  std::array<char, 128> line{};
  std::va_list arguments;
  va_start(arguments, format);
  const int size = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  return size > 0 && ::write(fd_.get(), line.data(), static_cast<std::size_t>(size)) > 0;
}

}  // namespace framegov

// SPDX-License-Identifier: Apache-2.0
#include "tests/app/recorder.h"

#include <algorithm>
#include <cinttypes>
#include <stdexcept>

namespace demo {
namespace {

std::unique_ptr<std::FILE, int (*)(std::FILE*)> open_for_writing(const std::string& path) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"),
                                                       &std::fclose);
  if (!file) {
    throw std::runtime_error(path + ": cannot be written");
  }
  return file;
}

}  // namespace

void Recorder::add(const FrameRecord& record) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (live_ && record.ready_ns >= second_end_ns_) {
    if (second_first_ < records_.size()) {
      std::printf("live %s\n", summary_from(second_first_).c_str());
      std::fflush(stdout);
    }
    second_first_ = records_.size();
    second_end_ns_ = record.ready_ns + kSecond;
  }
  records_.push_back(record);
}

void Recorder::write_csv(const std::string& path) const {
  const auto file = open_for_writing(path);
  std::fputs(
      "frame,vsync_ns,start_ns,ui_done_ns,ready_ns,deadline_ns,interval_ns,ui_work,render_work,"
      "missed,blocked_ns,awake_ns,taken_ns,ui_cpu_ns,render_cpu_ns\n",
      file.get());
  for (const FrameRecord& r : records_) {
    std::fprintf(file.get(),
                 "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                 ",%.0f,%.0f,%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n",
                 r.frame, r.vsync_ns, r.start_ns, r.ui_done_ns, r.ready_ns, r.deadline_ns,
                 r.interval_ns, r.ui_work, r.render_work, r.ready_ns > r.deadline_ns ? 1 : 0,
                 r.blocked_ns, r.awake_ns, r.taken_ns, r.ui_cpu_ns, r.render_cpu_ns);
  }
  if (std::fflush(file.get()) != 0) {
    throw std::runtime_error(path + ": writing failed");
  }
}

std::string Recorder::summary_from(std::size_t first) const {
  std::vector<double> times;
  int missed = 0;
  for (std::size_t i = first; i < records_.size(); ++i) {
    const FrameRecord& r = records_[i];
    times.push_back(static_cast<double>(r.ready_ns - r.vsync_ns) * 1e-6);
    missed += r.ready_ns > r.deadline_ns ? 1 : 0;
  }
  std::sort(times.begin(), times.end());
  const auto quantile = [&](double q) {
    return times.empty()
               ? 0
               : times[static_cast<std::size_t>(q * static_cast<double>(times.size() - 1))];
  };
  char text[160];
  std::snprintf(text, sizeof(text), "frames=%zu missed=%d p50_ms=%.3f p95_ms=%.3f p99_ms=%.3f",
                times.size(), missed, quantile(0.5), quantile(0.95), quantile(0.99));
  return text;
}

EventLog::EventLog(const std::string& path) : file_(stdout, [](std::FILE*) { return 0; }) {
  if (!path.empty()) {
    file_ = open_for_writing(path);
  }
}

void EventLog::write(std::int64_t time_ns, UserEvent event) {
  std::fprintf(file_.get(), "%" PRId64 ",%s\n", time_ns,
               event == UserEvent::kBurst ? "burst" : "touch");
  std::fflush(file_.get());
}

}  // namespace demo
